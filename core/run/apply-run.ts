import { unreachable } from '#core/exhaustive.ts';
import { feedbackOf } from '#core/feedback/route.ts';
import { isHandler } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { passProblem } from '#core/run/decide-pass.ts';
import { checksDue } from '#core/run/decide-step.ts';
import { withoutCalls } from '#core/run/apply-call.ts';
import type { RunEventOf } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { withMessage } from '#core/run/messages.ts';
import { nextPass, recounted } from '#core/run/next-pass.ts';
import type { Handling, RunState, StepState } from '#core/run/state.ts';
import type { Stop } from '#core/run/stop.ts';

type RunOwnEvent = RunEventOf<
  | 'run.started'
  | 'run.reseated'
  | 'run.retried'
  | 'run.paused'
  | 'run.cancelling'
  | 'run.ending'
  | 'handlers.started'
  | 'run.stopped'
  | 'timer.fired'
>;

/** Folds what concerns the run as a whole. */
export function applyRun(plan: Plan, state: RunState, event: RunOwnEvent): RunState {
  switch (event.type) {
    case 'run.started':
      return start(state, event);
    case 'run.reseated':
      return reseat(state);
    case 'run.retried':
      return retry(plan, state, event);
    case 'run.paused':
      return pause(state, event);
    case 'run.cancelling':
      return withMessage(cancel(state, event), event.messageId);
    case 'run.ending':
      return { ...withoutCalls(state), paused: null, ending: event.stop };
    case 'handlers.started':
      return { ...state, ending: event.stop, handling: handlingOf(state, event.stop) };
    case 'run.stopped':
      return stop(state, event);
    case 'timer.fired':
      return state;
    default:
      return unreachable(event);
  }
}

function handlingOf({ workspace }: RunState, end: Stop): Handling {
  return { stop: end, cancelled: null, snapshot: workspace.snapshot };
}

/** D-14: nothing is built upon what a handler did to the tree; a retry of the run begins from what its steps left. */
function stop(state: RunState, event: RunEventOf<'run.stopped'>): RunState {
  const { handling, workspace } = state;
  const told = event.toParent === undefined ? {} : { toldSpend: state.spend };
  const stopped = { ...state, stop: event.stop, handling: null, ...told };
  if (handling === null || workspace.snapshot?.commit === handling.snapshot?.commit) return stopped;
  return { ...stopped, workspace: { ...workspace, snapshot: handling.snapshot, dirty: true } };
}

/** While its handlers run, a cancel is theirs: the end of the run is known. */
function cancel(state: RunState, { reason }: RunEventOf<'run.cancelling'>): RunState {
  const { handling } = state;
  if (handling !== null) return { ...state, handling: { ...handling, cancelled: handling.cancelled ?? reason } };
  return { ...withoutCalls(state), paused: null, ending: state.ending ?? { kind: 'cancelled', reason } };
}

function start(state: RunState, event: RunEventOf<'run.started'>): RunState {
  const { runId, at, parent = null, held = [] } = event;
  return { ...state, runId, startedAt: at, countedFrom: at, now: at, parent, held };
}

function pause(state: RunState, event: RunEventOf<'run.paused'>): RunState {
  const { code, reason, remedy, by = null, loop: step = null, ask = false, messageId } = event;
  const paused = { code, reason, remedy, by, step, ask, asked: false, revision: state.revision };
  return messageId === undefined ? { ...state, paused } : withMessage({ ...state, paused }, messageId);
}

/** E8: counters reset, finished steps kept; what failed or never finished begins its next pass. Spend stays counted. */
function retry(plan: Plan, state: RunState, event: RunEventOf<'run.retried'>): RunState {
  const isPaused = state.stop === null;
  const steps = Object.entries(state.steps).map(([id, step]) => {
    if (isHandler(plan, id)) return [id, handledAgain(step)] as const;
    if (event.reset?.includes(id) === true) return [id, nextPass(recounted(step))] as const;
    const goesOn = isPaused && isUndecided(plan, planStep(plan, id), step);
    return [id, goesOn ? goingOn(step) : retried(plan, id, step)] as const;
  });
  return {
    ...withMessage(state, event.messageId),
    steps: Object.fromEntries(steps),
    baseline: rejudgedBase(plan, state.baseline),
    countedFrom: event.at,
    activeMs: 0,
    paused: null,
    ending: null,
    handling: null,
    stop: null,
    delivery: { phase: 'none', done: null },
    kept: 'due',
  };
}

/** D-14: the run's new end has its handlers, too. */
function handledAgain(step: StepState): StepState {
  return step.phase === 'idle' ? step : nextPass(recounted(step));
}

/** B11: a base that stopped the run before any work is judged again: what its checks need may have been mended. */
function rejudgedBase(plan: Plan, baseline: RunState['baseline']): RunState['baseline'] {
  const stopped = plan.baseline === 'mustPass' && baseline.verdicts.some(({ verdict }) => verdict.kind !== 'pass');
  return stopped ? { phase: 'due', verdicts: [] } : baseline;
}

/** Decision 4: what settled while the run was pausing, or waits within its pass, is not what paused it and goes on. */
function isUndecided(plan: Plan, step: StepPlan, now: StepState): boolean {
  const passed = passProblem(step, now) === undefined && (step.loop?.on ?? 'fail') === 'fail';
  switch (now.phase) {
    case 'idle':
    case 'done':
      return false;
    case 'cleared':
    case 'interrupted':
    case 'resumable':
    case 'lost':
    case 'asking':
    case 'calling':
      return true;
    case 'attempted':
      return now.result?.match?.kind !== 'error' && (checksDue(plan, step) || passed);
    case 'judged':
      return passed || isUnclear(now);
    default:
      return unreachable(now.phase);
  }
}

/** B1: what could not be judged is judged again once its cause is mended; the finished attempt is not paid for again. */
function isUnclear(now: StepState): boolean {
  return now.repeat?.kind === 'error' || now.verdicts.some(({ verdict }) => verdict.kind === 'error');
}

function goingOn(step: StepState): StepState {
  const repeat = step.repeat?.kind === 'error' ? null : step.repeat;
  return { ...recounted(step), retries: 0, crashes: 0, checkErrors: 0, conditionErrors: 0, repeat };
}

function retried(plan: Plan, id: string, step: StepState): StepState {
  const fresh = recounted(step);
  const kept = step.outcome === 'succeeded' || step.outcome === 'skipped' || step.continued;
  if (kept || step.phase === 'idle') return { ...fresh, conditionErrors: 0, when: null };
  const feedback = step.resultPass === step.pass ? feedbackOf(planStep(plan, id), step) : step.feedback;
  return { ...nextPass(fresh), feedback };
}

/** Decision 13: the seat before is gone, so whatever it had under way must be looked up or begun again. */
function reseat(state: RunState): RunState {
  const dirty = Object.values(state.steps).some((step) => step.busy !== null);
  return {
    ...state,
    workspace: {
      ...state.workspace,
      phase: state.workspace.phase === 'opening' ? 'none' : state.workspace.phase,
      dirty: state.workspace.dirty || dirty,
    },
    baseline: { ...state.baseline, phase: state.baseline.phase === 'running' ? 'due' : state.baseline.phase },
    delivery: state.delivery.phase === 'running' ? { phase: 'none', done: null } : state.delivery,
    kept: state.kept === 'running' ? 'due' : state.kept,
    steps: Object.fromEntries(Object.entries(state.steps).map(([id, step]) => [id, reseated(step)])),
  };
}

function reseated(before: StepState): StepState {
  const strays = before.strays.map((stray) => (stray.told === 'telling' ? { ...stray, told: 'no' as const } : stray));
  const step = { ...before, strays, early: [] };
  if (step.busy === null) return step;
  const idle = { ...step, busy: null };
  if (step.busy.pass !== step.pass || step.busy.cancelling) return idle;
  // The same review again: one that ended while nobody listened is found under its round, with what it cost.
  if (step.busy.review === true) return { ...idle, round: step.round - 1 };
  const interrupted = step.busy.work === 'attempt' || step.busy.work === 'recovery';
  return interrupted ? { ...idle, phase: 'interrupted' } : idle;
}
