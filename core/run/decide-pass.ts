import type { Verdict } from '#core/check/verdict.ts';
import { unreachable } from '#core/exhaustive.ts';
import { attemptProblem } from '#core/feedback/route.ts';
import type { LoopPlan, Plan, StepPlan } from '#core/plan/plan.ts';
import type { Command } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';
import { resetSet } from '#core/run/graph.ts';
import { errorRetries, pause } from '#core/run/pause.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import type { StopKind } from '#core/run/stop.ts';
import { isMidPass } from '#core/run/workspace-lock.ts';

/** A pass whose attempt and checks are in: judge again, ask the loop's condition, loop, succeed or fail (A1, B1–C8). */
export function decidePass(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  const broken = now.verdicts.filter(({ verdict }) => verdict.kind === 'error');
  const problem = passProblem(step, now);
  // In mode `any` a check that could not run does not matter once another has passed.
  if (broken.length > 0 && problem !== undefined) return brokenChecks(state, step, broken);
  const asked = step.loop === undefined ? undefined : askRepeat(state, step, step.loop, problem === undefined);
  if (asked !== undefined) return asked;
  const event = outcome(plan, state, step, problem);
  return { do: 'emit', event };
}

/** Why the pass does not pass, in one line; `undefined` when its attempt and its checks do (A4, B2). */
export function passProblem(step: StepPlan, now: StepState): string | undefined {
  const attempt = now.result === null ? 'It has no result.' : attemptProblem(now.result);
  const failing = now.verdicts.filter(({ verdict }) => !passes(verdict));
  const unasked = step.checks.filter(({ name }) => !now.verdicts.some(({ check }) => check === name));
  if (attempt !== undefined) return attempt;
  const guarded = failing.filter(({ check }) => !step.checks.some(({ name }) => name === check));
  const anyPassed = step.mode === 'any' && step.checks.length > 0 && now.verdicts.some(isWritten(step));
  const counted = anyPassed ? guarded : failing;
  if (counted.length > 0)
    return counted.map(({ check, verdict }) => `${check}: ${verdict.evidence.summary}`).join('; ');
  return anyPassed || unasked.length === 0 ? undefined : `Not judged: ${unasked.map(({ name }) => name).join(', ')}.`;
}

function isWritten(step: StepPlan) {
  return ({ check, verdict }: { check: string; verdict: Verdict }) =>
    passes(verdict) && step.checks.some(({ name }) => name === check);
}

function passes(verdict: Verdict): boolean {
  return verdict.kind === 'pass';
}

/** B1: a check that could not run is asked again, then the run pauses; the work is never blamed for it. */
function brokenChecks(state: RunState, step: StepPlan, broken: StepState['verdicts']): Command {
  const now = stepOf(state, step.id);
  if (now.checkErrors <= errorRetries) {
    return { do: 'judge', step: step.id, pass: now.pass, round: now.round + 1, checks: askAgain(step, now) };
  }
  const why = broken.map(({ check, verdict }) => `${check}: ${verdict.evidence.summary}`).join('; ');
  const reason = `A check of step "${step.name}" could not run: ${why}`;
  return { do: 'emit', event: pause(state, 'check_error', reason, 'Mend what the check needs, then retry the run.') };
}

/** What could not run, and what was not asked only because of it: a check behind one that failed stays unasked (B2). */
function askAgain(step: StepPlan, now: StepState): string[] {
  const kinds = new Map(now.verdicts.map(({ check, verdict }) => [check, verdict.kind]));
  const written = step.checks.map(({ name }) => name);
  const guards = [...kinds.keys()].filter((name) => !written.includes(name));
  const isFailed = (name: string): boolean => kinds.get(name) === 'fail' || kinds.get(name) === 'missing';
  return written.filter((name, index) => {
    if (kinds.has(name)) return kinds.get(name) === 'error';
    return ![...guards, ...written.slice(0, index)].some(isFailed);
  });
}

/** C5: the loop's condition is asked once a pass; an error is asked again, and then it is neither met nor unmet. */
function askRepeat(state: RunState, step: StepPlan, loop: LoopPlan, passed: boolean): Command | undefined {
  const now = stepOf(state, step.id);
  if (loop.repeat === undefined || !concerns(loop, passed)) return undefined;
  if (now.repeat === null || (now.repeat.kind === 'error' && now.conditionErrors <= errorRetries)) {
    return { do: 'evaluate', step: step.id, pass: now.pass, purpose: 'repeat' };
  }
  if (now.repeat.kind !== 'error') return undefined;
  const reason = `The loop condition of step "${step.name}" could not be judged: ${now.repeat.reason}`;
  if (loop.repeat.onError === 'fail') return failed(state, step, reason, 'failed');
  return { do: 'emit', event: pause(state, 'condition_error', reason, 'Mend the condition, then retry the run.') };
}

function outcome(plan: Plan, state: RunState, step: StepPlan, problem: string | undefined): RunEvent {
  const { loop } = step;
  if (loop !== undefined && fires(loop, stepOf(state, step.id), problem === undefined)) {
    return loopOr(plan, state, step, loop, problem);
  }
  return problem === undefined ? succeeded(state, step) : failed(state, step, problem, 'failed').event;
}

function concerns(loop: LoopPlan, passed: boolean): boolean {
  return loop.on === 'always' || (loop.on === 'pass') === passed;
}

function fires(loop: LoopPlan, now: StepState, passed: boolean): boolean {
  if (!concerns(loop, passed)) return false;
  if (loop.repeat === undefined) return true;
  const met = now.repeat?.kind === 'met';
  return loop.repeat.mode === 'until' ? !met : met;
}

// One decision with all that it rests on; splitting it would only pass the same five things on.
// oxlint-disable-next-line max-params
function loopOr(plan: Plan, state: RunState, step: StepPlan, loop: LoopPlan, problem: string | undefined): RunEvent {
  const now = stepOf(state, step.id);
  const fingerprint = fingerprintOf(state, now);
  const repeats = now.seen.includes(fingerprint) ? now.repeats + 1 : 0;
  const { noProgress } = plan.limits;
  const mustProgress = loop.on === 'fail' && loop.repeat === undefined && noProgress > 0;
  if (mustProgress && repeats >= noProgress) return noProgressStop(state, step, repeats);
  if (loop.limit !== null && now.loops >= loop.limit) return exhausted(state, step, loop, problem);
  const count = now.loops + 1;
  return {
    type: 'loop.fired',
    at: state.now,
    step: step.id,
    pass: now.pass,
    to: loop.to,
    count,
    limit: loop.limit,
    reset: inReset(plan, state, step, loop),
    fingerprint,
    repeats,
    ...waitBefore(state, loop, count),
    message: `↺ ${step.name} requested another pass: looping back to "${loop.to}" (${ratio(count, loop.limit)})`,
  };
}

function ratio(count: number, limit: number | null): string {
  return limit === null ? `${count}` : `${count}/${limit}`;
}

/** C3: the verdict-steps dialect leaves steps that run, or wait within a pass they have begun, out of the reset set. */
function inReset(plan: Plan, state: RunState, step: StepPlan, loop: LoopPlan): string[] {
  const all = resetSet(plan, step.id, loop.to);
  return loop.inFlight === 'cancel' ? all : all.filter((id) => id === step.id || !isMidPass(stepOf(state, id)));
}

/** C5: interval × backoff^(n−1), capped. */
function waitBefore(state: RunState, loop: LoopPlan, count: number): { notBefore?: number } {
  const { everySeconds, backoff, maxSeconds } = loop.wait;
  if (everySeconds === 0) return {};
  const seconds = Math.min(everySeconds * backoff ** (count - 1), maxSeconds ?? Number.MAX_SAFE_INTEGER / 1e6);
  return { notBefore: state.now + Math.round(seconds * 1000) };
}

/** C8: tree and HEAD (in the attempt's own), the checks' identity, outcomes and normalised findings. */
function fingerprintOf(state: RunState, now: StepState): string {
  return `${now.result?.fingerprint ?? ''}|${now.judgedFingerprint}|${state.workspace.snapshot?.tree ?? ''}`;
}

function noProgressStop(state: RunState, step: StepPlan, repeats: number): RunEvent {
  const reason = `Step "${step.name}" made no progress: the same tree and the same findings came back ${repeats} times.`;
  const remedy = 'Look at the feedback of its last pass; change the task or the checks, then retry the run.';
  return { type: 'run.ending', at: state.now, stop: { kind: 'no_progress', reason, remedy } };
}

/** C7. `succeed` never turns a failing pass into a success: there is no success without evidence (E1). */
function exhausted(state: RunState, step: StepPlan, loop: LoopPlan, problem: string | undefined): RunEvent {
  const spent = `(feedback loop limit of ${loop.limit ?? 0} reached)`;
  const reason = `${problem ?? 'It still asks for another pass'} ${spent}`;
  switch (loop.onExhausted) {
    case 'succeed':
      if (problem === undefined) return succeeded(state, step, `exhausted ${spent}`);
      return failed(state, step, reason, 'exhausted').event;
    case 'fail':
      return failed(state, step, reason, 'exhausted').event;
    case 'ask':
    case 'pause':
      return pause(
        state,
        'exhausted',
        `Step "${step.name}": ${reason}`,
        'Retry the run for fresh passes, or cancel it.',
      );
    default:
      return unreachable(loop.onExhausted);
  }
}

function succeeded(state: RunState, step: StepPlan, note?: string): RunEvent {
  const { pass } = stepOf(state, step.id);
  return { type: 'step.succeeded', at: state.now, step: step.id, pass, ...(note === undefined ? {} : { note }) };
}

function failed(state: RunState, step: StepPlan, reason: string, stop: StopKind) {
  const { pass } = stepOf(state, step.id);
  const event = { type: 'step.failed' as const, at: state.now, step: step.id, pass, reason, stop };
  return { do: 'emit' as const, event: { ...event, continued: step.continueOnError } };
}
