import type { CallPlan, StepPlan } from '#core/plan/plan.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { Collected } from '#core/contract/activities.ts';
import type { Command } from '#core/run/command.ts';
import { type CallState, noSpend, type RunState, type StepState, stepOf } from '#core/run/state.ts';

/** A call begins with what it is made for: one child run, or one for each item of a list. */
export function beginCall(state: RunState, step: StepPlan): Command {
  const now = stepOf(state, step.id);
  const onAttempt = { step: step.id, pass: now.pass, attempt: now.attempt + 1 };
  if (callOf(step).each !== undefined) return { do: 'expand', ...onAttempt };
  return { do: 'emit', event: { type: 'call.begun', at: state.now, ...onAttempt, items: [''] } };
}

/** Starts children while there is room; once all have ended, what they gave is the step's result. */
export function decideCall(state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  const { call } = now;
  if (call === null) return undefined;
  const index = freeIndex(call);
  if (index === undefined && call.children.every(({ settled }) => settled !== null)) {
    return { do: 'collect', step: step.id, pass: now.pass, attempt: now.attempt };
  }
  const alive = call.children.filter(({ settled }) => settled === null).length;
  if (index === undefined || alive >= (callOf(step).each?.max ?? 1)) return undefined;
  return { do: 'startChild', step: step.id, pass: now.pass, index };
}

function freeIndex({ items, children }: CallState): number | undefined {
  const taken = new Set(children.map(({ index }) => index));
  const free = items.findIndex((_, index) => !taken.has(index));
  return free === -1 ? undefined : free;
}

export function callOf(step: StepPlan): CallPlan {
  if (step.work.kind !== 'call') throw new TypeError(`step ${step.id} calls nothing`);
  return step.work;
}

/** The result of a call: every child run must have succeeded. */
export function callResult(step: StepPlan, { call }: StepState, collected: Collected, tookMs: number): AttemptResult {
  const children = call?.children ?? [];
  const failed = children.filter(({ settled }) => settled?.stop !== 'succeeded');
  const told = failed.slice(0, 5).map(({ runId, settled }) => `${runId} (${settled?.stop ?? 'unknown'})`);
  const more = failed.length > told.length ? ` and ${failed.length - told.length} more` : '';
  const of = callOf(step).each === undefined ? 'The child run' : `${failed.length} of ${children.length} child runs`;
  const reason = `${of} did not succeed: ${told.join(', ')}${more}.`;
  const only = callOf(step).each === undefined ? children[0]?.settled?.toParent.outputs : undefined;
  return {
    end: failed.length === 0 ? { kind: 'ok' } : { kind: 'failed', reason },
    output: collected.output,
    ...(collected.feedback === undefined ? {} : { feedback: collected.feedback }),
    ...(only === undefined ? {} : { outputs: only }),
    fingerprint: collected.output.sha256,
    // Each child's spend was counted when it ended.
    spend: noSpend,
    findings: [],
    durationMs: tookMs,
  };
}
