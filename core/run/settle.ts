import type { ConditionOutcome } from '#core/check/condition.ts';
import type { JudgeResult, Recovered, WorkspaceOpened } from '#core/contract/activities.ts';
import { faults, isFaultCode } from '#core/contract/fault.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { Work } from '#core/run/command.ts';
import type { DeliveryDone, FaultSeen, RunEvent } from '#core/run/event.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

/** What a piece of work gave, by its kind. */
export type Outcome =
  | { of: 'openWorkspace'; value: WorkspaceOpened }
  | { of: 'baseline'; value: JudgeResult }
  | { of: 'evaluate'; value: ConditionOutcome }
  | { of: 'attempt'; value: AttemptResult }
  | { of: 'recover'; value: Recovered }
  | { of: 'judge'; value: JudgeResult }
  | { of: 'deliver'; value: DeliveryDone };

/** The event that says a piece of work is under way: emitted before it starts, so that nothing starts twice. */
export function begun(work: Work, at: number): RunEvent {
  switch (work.do) {
    case 'openWorkspace':
      return { type: 'workspace.opening', at };
    case 'baseline':
      return { type: 'baseline.started', at };
    case 'deliver':
      return { type: 'delivery.started', at };
    case 'evaluate':
      return { type: 'condition.started', at, step: work.step, pass: work.pass, purpose: work.purpose };
    case 'attempt':
      return { type: 'attempt.started', at, step: work.step, pass: work.pass, attempt: work.attempt };
    case 'recover':
      return { type: 'recovery.started', at, step: work.step, pass: work.pass, attempt: work.attempt };
    case 'judge':
      return { type: 'checks.started', at, step: work.step, pass: work.pass, round: work.round };
    default:
      return unreachable(work);
  }
}

/** The events that a finished piece of work becomes. */
export function settled(state: RunState, work: Work, outcome: Outcome, at: number): RunEvent[] {
  switch (outcome.of) {
    case 'openWorkspace':
      return [{ type: 'workspace.opened', at, ...outcome.value }];
    case 'baseline':
      return [{ type: 'baseline.judged', at, verdicts: outcome.value.verdicts.map(splitName) }];
    case 'deliver':
      return [{ type: 'delivery.finished', at, delivery: outcome.value }];
    case 'evaluate':
      if (work.do !== 'evaluate') return mismatch(work, outcome);
      return [{ ...onStep(work, at), type: 'condition.judged', purpose: work.purpose, outcome: outcome.value }];
    case 'attempt':
      if (work.do !== 'attempt') return mismatch(work, outcome);
      return [{ ...onStep(work, at), type: 'attempt.finished', attempt: work.attempt, result: outcome.value }];
    case 'recover':
      if (work.do !== 'recover') return mismatch(work, outcome);
      return [recovered(work, outcome.value, at)];
    case 'judge':
      if (work.do !== 'judge') return mismatch(work, outcome);
      return judged(state, work, outcome.value, at);
    default:
      return unreachable(outcome);
  }
}

function mismatch(work: Work, outcome: Outcome): never {
  throw new TypeError(`the outcome of ${outcome.of} settled ${work.do}`);
}

function onStep(work: { step: string; pass: number }, at: number) {
  return { at, step: work.step, pass: work.pass };
}

function recovered(work: Extract<Work, { do: 'recover' }>, value: Recovered, at: number): RunEvent {
  const onAttempt = { ...onStep(work, at), attempt: work.attempt };
  switch (value.kind) {
    case 'finished':
      return { type: 'attempt.finished', ...onAttempt, result: value.result };
    case 'resumable':
      return { type: 'attempt.resumable', ...onAttempt };
    case 'lost':
      return { type: 'attempt.lost', ...onAttempt, spend: value.spend };
    default:
      return unreachable(value);
  }
}

function judged(state: RunState, work: Extract<Work, { do: 'judge' }>, value: JudgeResult, at: number): RunEvent[] {
  // A reader's checks judge what it read, which the workspace may have left behind.
  const tree = (stepOf(state, work.step).pinned ?? state.workspace.snapshot)?.tree;
  const verdicts = value.verdicts.map(({ check, verdict }): RunEvent => ({
    ...onStep(work, at),
    type: 'check.judged',
    check,
    verdict,
  }));
  const { fingerprint } = value;
  const finished = { ...onStep(work, at), type: 'checks.finished' as const, fingerprint };
  return [...verdicts, tree === undefined ? finished : { ...finished, tree }];
}

const separator = '/';

/** The baseline judges the checks of all steps at once; their names carry the step. */
export function baselineName(step: string, check: string): string {
  return `${step}${separator}${check}`;
}

function splitName({ check, verdict }: JudgeResult['verdicts'][number]) {
  const at = check.indexOf(separator);
  return { step: check.slice(0, at), check: check.slice(at + 1), verdict };
}

/** The fault that the shell reports when work was ended because the law asked for it. */
export const cancelledFault = 'cancelled';

/**
 * The events that a fault becomes. Work that the law cancelled has settled; an attempt that was interrupted is looked
 * up; any other fault that reached the law was tried by the engine as often as its policy says, and ends the run (A3).
 */
export function faulted(state: RunState, work: Work, fault: FaultSeen, at: number): RunEvent[] {
  if ('step' in work && isUnwanted(state, work, fault)) return [{ ...onStep(work, at), type: 'work.cancelled' }];
  const ended = interrupted(work, fault, at);
  return isFinal(work, fault) && state.ending === null ? [ended, ending(work, fault, at)] : [ended];
}

function isUnwanted(state: RunState, work: { step: string; pass: number }, fault: FaultSeen): boolean {
  const step = stepOf(state, work.step);
  return fault.code === cancelledFault || step.busy?.cancelling === true || step.pass !== work.pass;
}

function interrupted(work: Work, fault: FaultSeen, at: number): RunEvent {
  switch (work.do) {
    case 'openWorkspace':
      return { type: 'workspace.failed', at, fault };
    case 'baseline':
      return { type: 'baseline.failed', at, fault };
    case 'deliver':
      return { type: 'delivery.failed', at, fault };
    case 'evaluate': {
      const outcome = { kind: 'error' as const, reason: fault.message };
      return { ...onStep(work, at), type: 'condition.judged', purpose: work.purpose, outcome };
    }
    case 'attempt':
    case 'recover':
      return { ...onStep(work, at), type: 'attempt.interrupted', attempt: work.attempt, fault };
    case 'judge':
      return { ...onStep(work, at), type: 'checks.interrupted', fault };
    default:
      return unreachable(work);
  }
}

/** An attempt is looked up and started again unless its fault is deterministic; a condition's fault is its error. */
function isFinal(work: Work, fault: FaultSeen): boolean {
  if (fault.code === cancelledFault || work.do === 'evaluate') return false;
  if (work.do !== 'attempt' && work.do !== 'recover') return true;
  return isFaultCode(fault.code) && faults[fault.code] === 'stop';
}

function ending(work: Work, fault: FaultSeen, at: number): RunEvent {
  const kind = work.do === 'deliver' ? ('delivery_failed' as const) : ('failed_to_start' as const);
  return { type: 'run.ending', at, stop: { kind, code: fault.code, reason: fault.message } };
}
