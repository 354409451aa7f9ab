import type { ConditionOutcome } from '#core/check/condition.ts';
import type {
  Collected,
  JudgeResult,
  Recovered,
  ReviewResult,
  TaskOpened,
  WorkspaceOpened,
} from '#core/contract/activities.ts';
import { faults, isFaultCode } from '#core/contract/fault.ts';
import { present } from '#core/definition/present.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { Work } from '#core/run/command.ts';
import { callResult } from '#core/run/decide-call.ts';
import type { DeliveryDone, FaultSeen, RunEvent } from '#core/run/event.ts';
import { planStep, upstream } from '#core/run/graph.ts';
import { planNow } from '#core/run/plan-now.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

/** What a piece of work gave, by its kind. */
export type Outcome =
  | { of: 'openWorkspace'; value: WorkspaceOpened }
  | { of: 'baseline'; value: JudgeResult }
  | { of: 'evaluate'; value: ConditionOutcome }
  | { of: 'attempt'; value: AttemptResult }
  | { of: 'recover'; value: Recovered }
  | { of: 'judge'; value: JudgeResult }
  | { of: 'review'; value: ReviewResult }
  | { of: 'openTask'; value: TaskOpened }
  | { of: 'expand'; value: string[] }
  | { of: 'startChild'; value: { runId: string } }
  | { of: 'collect'; value: Collected }
  | { of: 'cancelChild'; value: null }
  | { of: 'keepFiles'; value: { files: number } }
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
    case 'review':
      return { ...onStep(work, at), type: 'checks.started', round: work.round, check: work.check };
    case 'openTask':
      return { ...onStep(work, at), type: 'task.opening', task: work.task, revision: work.revision };
    case 'expand':
      return { ...onStep(work, at), type: 'list.expanding' };
    case 'startChild':
      return { ...onStep(work, at), type: 'child.starting', index: work.index };
    case 'collect':
      return { ...onStep(work, at), type: 'call.collecting', attempt: work.attempt };
    case 'cancelChild':
      return { ...onStep(work, at), type: 'child.cancelling', runId: work.runId };
    case 'keepFiles':
      return { type: 'files.keeping', at };
    default:
      return unreachable(work);
  }
}

type WorkOf<D extends Work['do']> = Extract<Work, { do: D }>;

/** The events that a finished piece of work becomes. `original` is the plan that the run was started with. */
// One fact with all that it rests on.
// oxlint-disable-next-line max-params
export function settled(original: Plan, state: RunState, work: Work, outcome: Outcome, at: number): RunEvent[] {
  switch (outcome.of) {
    case 'openWorkspace':
      return [{ type: 'workspace.opened', at, ...outcome.value }];
    case 'baseline':
      return [{ type: 'baseline.judged', at, verdicts: outcome.value.verdicts.map(splitName) }];
    case 'deliver':
      return [{ type: 'delivery.finished', at, delivery: outcome.value }];
    case 'keepFiles':
      return [{ type: 'files.kept', at, files: outcome.value.files }];
    case 'evaluate': {
      const { step, pass, purpose } = expect(work, 'evaluate');
      return [{ type: 'condition.judged', at, step, pass, purpose, outcome: outcome.value }];
    }
    case 'attempt': {
      const { step, pass, attempt } = expect(work, 'attempt');
      return [{ type: 'attempt.finished', at, step, pass, attempt, result: outcome.value }];
    }
    case 'recover':
      return [recovered(expect(work, 'recover'), outcome.value, at)];
    case 'judge':
      return judged(state, expect(work, 'judge'), outcome.value, at);
    case 'review':
      return reviewed(state, expect(work, 'review'), outcome.value, at);
    case 'openTask':
      return [opened(planNow(original, state), state, expect(work, 'openTask'), { opened: outcome.value, at })];
    case 'expand': {
      const { step, pass, attempt } = expect(work, 'expand');
      return [{ type: 'call.begun', at, step, pass, attempt, items: outcome.value }];
    }
    case 'startChild': {
      const { step, pass, index } = expect(work, 'startChild');
      return [{ type: 'child.started', at, step, pass, index, runId: outcome.value.runId }];
    }
    case 'collect':
      return [collected(planNow(original, state), state, expect(work, 'collect'), { value: outcome.value, at })];
    case 'cancelChild': {
      const { step, pass, runId } = expect(work, 'cancelChild');
      return [{ type: 'child.told', at, step, pass, runId }];
    }
    default:
      return unreachable(outcome);
  }
}

function expect<D extends Work['do']>(work: Work, wanted: D): WorkOf<D> {
  if (isWork(work, wanted)) return work;
  throw new TypeError(`the outcome of ${wanted} settled ${work.do}`);
}

function isWork<D extends Work['do']>(work: Work, wanted: D): work is WorkOf<D> {
  return work.do === wanted;
}

/** The question as it is frozen (D1): what the host rendered, and the policy of the plan. */
function opened(
  plan: Plan,
  state: RunState,
  work: WorkOf<'openTask'>,
  { opened: { ask, shown }, at }: { opened: TaskOpened; at: number },
): RunEvent {
  const step = planStep(plan, work.step);
  if (step.work.kind !== 'person') throw new TypeError(`step ${step.id} asks nobody`);
  const { form, pushBackForm, who, quorum, notAuthor, time } = step.work;
  const { snapshot } = state.workspace;
  const first = step.loop?.to;
  const others = upstream(plan, step.id).toReversed();
  return {
    ...onStep(work, at),
    type: 'task.opened',
    task: work.task,
    revision: work.revision,
    ask,
    shown,
    ...present({ form, pushBackForm }),
    who,
    quorum,
    notAuthor,
    ...(snapshot === null ? {} : { commit: snapshot.commit, tree: snapshot.tree }),
    backTo: first === undefined ? others : [first, ...others.filter((id) => id !== first)],
    ...(time === undefined || time.onExpiry === 'escalate' ? {} : { expiresAt: at + time.limitSeconds * 1000 }),
  };
}

function reviewed(state: RunState, work: WorkOf<'review'>, value: ReviewResult, at: number): RunEvent[] {
  const { verdict, fingerprint, spend } = value;
  const verdicts = [{ check: work.check, verdict }];
  return judged(state, work, { verdicts, fingerprint }, at).map((event) =>
    event.type === 'checks.finished' ? { ...event, spend } : event,
  );
}

function collected(
  plan: Plan,
  state: RunState,
  work: WorkOf<'collect'>,
  { value, at }: { value: Collected; at: number },
): RunEvent {
  const now = stepOf(state, work.step);
  const result = callResult(planStep(plan, work.step), now, value, at - (now.call?.begunAt ?? at));
  return { ...onStep(work, at), type: 'attempt.finished', attempt: work.attempt, result };
}

function onStep(work: { step: string; pass: number }, at: number) {
  return { at, step: work.step, pass: work.pass };
}

function recovered(work: WorkOf<'recover'>, value: Recovered, at: number): RunEvent {
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

function judged(state: RunState, work: { step: string; pass: number }, value: JudgeResult, at: number): RunEvent[] {
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
  if ('step' in work && work.do !== 'cancelChild' && isUnwanted(state, work, fault))
    return [{ ...onStep(work, at), type: 'work.cancelled' }];
  const ended = interrupted(work, fault, at);
  if (state.handling !== null && 'step' in work && isFinal(work, fault)) {
    return [ended, handlerBroke(onStep(work, at), fault)];
  }
  return isFinal(work, fault) && state.ending === null ? [ended, ending(work, fault, at)] : [ended];
}

/** A handler's end is not the run's: the run has its own already. */
function handlerBroke(onHandler: { at: number; step: string; pass: number }, { message }: FaultSeen): RunEvent {
  return { type: 'step.failed', ...onHandler, reason: message, continued: false, stop: 'failed' };
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
    case 'review':
      return { ...onStep(work, at), type: 'checks.interrupted', fault };
    case 'openTask':
      return { ...onStep(work, at), type: 'task.failed', task: work.task, revision: work.revision, fault };
    case 'expand':
    case 'startChild':
    case 'collect':
      return { ...onStep(work, at), type: 'call.failed', fault };
    case 'cancelChild':
      return { ...onStep(work, at), type: 'child.told', runId: work.runId };
    case 'keepFiles':
      return { type: 'files.failed', at, fault };
    default:
      return unreachable(work);
  }
}

/** An attempt is looked up and started again unless its fault is deterministic; a condition's fault is its error. */
function isFinal(work: Work, fault: FaultSeen): boolean {
  if (fault.code === cancelledFault || work.do === 'evaluate') return false;
  // What cannot be kept for the next run costs this one nothing; the record says so.
  if (work.do === 'cancelChild' || work.do === 'keepFiles') return false;
  if (work.do !== 'attempt' && work.do !== 'recover') return true;
  return isFaultCode(fault.code) && faults[fault.code] === 'stop';
}

function ending(work: Work, fault: FaultSeen, at: number): RunEvent {
  const kind = work.do === 'deliver' ? ('delivery_failed' as const) : ('failed_to_start' as const);
  return { type: 'run.ending', at, stop: { kind, code: fault.code, reason: fault.message } };
}
