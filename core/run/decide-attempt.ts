import { unreachable } from '#core/exhaustive.ts';
import type { StepPlan } from '#core/plan/plan.ts';
import type { AttemptEnd, AttemptResult } from '#core/run/attempt-result.ts';
import type { Command } from '#core/run/command.ts';
import type { RunEventOf } from '#core/run/event.ts';
import { crashRestarts, interruptionOf, nextLook } from '#core/run/interruption.ts';
import { pause } from '#core/run/pause.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';

/** E6: a window whose end nobody knows is probed after 30 s, then ever later, at most every 15 minutes. */
const probe = { firstMs: 30_000, mostMs: 900_000 };

/**
 * A finished attempt before any verdict (A1–A4): retried within the pass or given up; `undefined` when it is to be
 * judged.
 */
export function afterAttempt(state: RunState, step: StepPlan): Command | undefined {
  const { result } = stepOf(state, step.id);
  if (result === null) return undefined;
  const { end } = result;
  switch (end.kind) {
    case 'ok':
      return result.match?.kind === 'error' ? matchError(state, step, result.match.reason) : undefined;
    case 'crashed':
      return crashed(state, step, end.reason);
    case 'quota':
      return waitForWindow(state, step, end);
    case 'overload':
      return retry(state, step, result) ?? providerError(state, end.reason, 'Retry the run when the provider is well.');
    case 'refused':
      return providerError(state, end.reason, end.remedy);
    case 'failed':
    case 'timed_out':
      return retry(state, step, result);
    case 'cancelled':
      return undefined;
    default:
      return unreachable(end);
  }
}

function matchError(state: RunState, step: StepPlan, reason: string): Command {
  const why = `The pattern of step "${step.name}" could not be judged: ${reason}`;
  return {
    do: 'emit',
    event: pause(state, 'match_error', why, `setpoint edit ${state.runId} FILE, with a simpler pattern`),
  };
}

/** E5: started again from the last snapshot as attempt + 1: at most three times a pass, or once the world has changed. */
export function crashed(state: RunState, step: StepPlan, reason: string): Command {
  const now = stepOf(state, step.id);
  const kind = now.phase === 'lost' ? interruptionOf(now.interruptedBy) : 'crash';
  if (kind === 'shutdown') return retried(state, now, step, { kind, reason });
  if (kind === 'wait') return retried(state, now, step, { kind, reason, notBefore: nextLook(state.now, now.waits) });
  if (now.crashes < crashRestarts) {
    // The first restart is at once; what crashes again is given time to come right.
    const wait = now.crashes === 0 ? {} : { notBefore: nextLook(state.now, now.crashes - 1) };
    return retried(state, now, step, { kind: 'crash', reason, ...wait });
  }
  const stop = {
    kind: 'failed' as const,
    code: 'host/crashed',
    reason: `Step "${step.name}" crashed ${now.crashes + 1} times in one pass: ${reason}`,
    remedy: 'Look at the log of its last attempt, then retry the run.',
  };
  return { do: 'emit', event: { type: 'run.ending', at: state.now, stop } };
}

function waitForWindow(state: RunState, step: StepPlan, end: Extract<AttemptEnd, { kind: 'quota' }>): Command {
  const now = stepOf(state, step.id);
  const backoff = Math.min(probe.firstMs * 2 ** now.waits, probe.mostMs);
  const notBefore = Math.max(end.resetAtMs ?? 0, state.now + (end.resetAtMs === undefined ? backoff : 1000));
  const known = end.resetAtMs === undefined ? ' (reset unknown)' : '';
  return retried(state, now, step, { kind: 'quota', reason: `${end.reason}${known}`, notBefore });
}

/** A2: the plan's own retries; a verdict is never retried (A3), and a time-out only by `notVerdict`. */
function retry(state: RunState, step: StepPlan, result: AttemptResult): Command | undefined {
  const now = stepOf(state, step.id);
  const { retry: budget } = step;
  if (now.retries >= budget.limit || !retries(step, result)) return undefined;
  const growing = budget.everySeconds * budget.backoff ** now.retries;
  const waitSeconds = Math.min(growing, budget.maxSeconds ?? growing);
  const told = result.end.kind === 'overload' ? (result.end.retryAfterSeconds ?? 0) : 0;
  const notBefore = state.now + Math.max(waitSeconds, told) * 1000;
  const reason = 'reason' in result.end ? result.end.reason : `The attempt ended as ${result.end.kind}.`;
  return retried(state, now, step, { kind: 'retry', reason, notBefore });
}

function retries(step: StepPlan, result: AttemptResult): boolean {
  const { on } = step.retry;
  if (result.end.kind === 'overload') return typeof on === 'string';
  if (on === 'notVerdict') return true;
  if (on === 'infrastructure' || result.end.kind !== 'failed') return false;
  if (on === 'failure') return true;
  return result.exitCode !== undefined && on.includes(result.exitCode);
}

function providerError(state: RunState, reason: string, remedy: string): Command {
  const stop = { kind: 'provider_error' as const, reason, remedy };
  return { do: 'emit', event: { type: 'run.ending', at: state.now, stop } };
}

type Retried = Pick<RunEventOf<'attempt.retried'>, 'kind' | 'reason' | 'notBefore'>;

function retried(state: RunState, now: StepState, step: StepPlan, why: Retried): Command {
  const onAttempt = { at: state.now, step: step.id, pass: now.pass, attempt: now.attempt };
  return { do: 'emit', event: { type: 'attempt.retried', ...onAttempt, ...why } };
}
