import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import { applyAttempt } from '#core/run/apply-attempt.ts';
import { applyCall } from '#core/run/apply-call.ts';
import { applyRun } from '#core/run/apply-run.ts';
import { applyStep } from '#core/run/apply-step.ts';
import { applySteering } from '#core/run/apply-steering.ts';
import { applyTask } from '#core/run/apply-task.ts';
import type { RunEvent } from '#core/run/event.ts';
import { admitted, firstLane, laneDue } from '#core/run/lane.ts';
import { planNow } from '#core/run/plan-now.ts';
import { initialState, isWorking, type RunState, type WorkspaceState } from '#core/run/state.ts';

/**
 * Folds one event into the state. The workflow, the API and every client use this one fold.
 * Total over the events of the plan's own run; pure; the state is never changed in place.
 */
export function apply(original: Plan, state: RunState, event: RunEvent): RunState {
  return laneDue(applyFacts(planNow(original, state), tick(state, event.at), event), event);
}

/** The state after all events, from the first. */
export function fold(plan: Plan, events: readonly RunEvent[]): RunState {
  return events.reduce<RunState>((state, event) => apply(plan, state, event), initialState(plan));
}

/** Moves the clock. Only time with work under way counts as active (E10); a clock that runs backwards stands still. */
function tick(state: RunState, at: number): RunState {
  const passed = Math.max(0, at - state.now);
  if (passed === 0) return state;
  const active = state.now > 0 && isWorking(state) ? passed : 0;
  return { ...state, now: at, activeMs: state.activeMs + active };
}

function applyFacts(plan: Plan, state: RunState, event: RunEvent): RunState {
  if (isOfStep(event)) return applyStepFacts(plan, state, event);
  switch (event.type) {
    case 'run.started':
    case 'run.reseated':
    case 'run.retried':
    case 'run.paused':
    case 'run.cancelling':
    case 'run.ending':
    case 'handlers.started':
    case 'run.stopped':
    case 'timer.fired':
      return applyRun(plan, state, event);
    case 'run.resumed':
    case 'run.raised':
    case 'run.edited':
    case 'run.held':
    case 'run.released':
    case 'run.forked':
    case 'step.pushed_back':
      return applySteering(plan, state, event);
    case 'workspace.opening':
    case 'workspace.opened':
    case 'workspace.failed':
      return { ...state, workspace: applyWorkspace(plan, state.workspace, event) };
    case 'lane.admitted':
      return { ...state, workspace: admitted(state.workspace, event) };
    case 'baseline.started':
      return { ...state, baseline: { ...state.baseline, phase: 'running' } };
    case 'baseline.judged':
      return { ...state, baseline: { phase: 'done', verdicts: event.verdicts } };
    case 'baseline.failed':
      return { ...state, baseline: { ...state.baseline, phase: 'due' } };
    case 'files.keeping':
      return { ...state, kept: 'running' };
    case 'files.kept':
    case 'files.failed':
      return { ...state, kept: 'done' };
    case 'delivery.started':
      return { ...state, delivery: { phase: 'running', done: null } };
    case 'delivery.finished':
      return { ...state, delivery: { phase: 'done', done: event.delivery } };
    case 'delivery.failed':
      return { ...state, delivery: { phase: 'none', done: null } };
    default:
      return unreachable(event);
  }
}

/** `step.pushed_back` is what a person does to the run. */
type StepFact = Exclude<Extract<RunEvent, { step: string; pass: number }>, { type: 'step.pushed_back' }>;

function isOfStep(event: RunEvent): event is StepFact {
  return 'step' in event && event.type !== 'step.pushed_back';
}

/** What concerns a step: its attempts, checks, loops, questions and child runs. */
function applyStepFacts(plan: Plan, state: RunState, event: StepFact): RunState {
  switch (event.type) {
    case 'attempt.started':
    case 'attempt.finished':
    case 'attempt.interrupted':
    case 'recovery.started':
    case 'attempt.resumable':
    case 'attempt.lost':
    case 'attempt.retried':
    case 'work.cancelling':
    case 'work.cancelled':
      return applyAttempt(plan, state, event);
    case 'condition.started':
    case 'condition.judged':
    case 'checks.started':
    case 'check.judged':
    case 'checks.finished':
    case 'checks.interrupted':
    case 'step.succeeded':
    case 'step.failed':
    case 'step.skipped':
    case 'step.reopened':
    case 'loop.fired':
      return applyStep(plan, state, event);
    case 'task.opening':
    case 'task.opened':
    case 'task.failed':
    case 'task.decided':
    case 'task.reminded':
    case 'task.escalated':
    case 'task.expired':
    case 'task.closed':
      return applyTask(state, event);
    case 'list.expanding':
    case 'call.begun':
    case 'call.failed':
    case 'call.collecting':
    case 'child.starting':
    case 'child.started':
    case 'child.settled':
    case 'child.cancelling':
    case 'child.told':
      return applyCall(state, event);
    default:
      return unreachable(event);
  }
}

type WorkspaceEvent = Extract<RunEvent, { type: `workspace.${string}` }>;

function applyWorkspace(plan: Plan, workspace: WorkspaceState, event: WorkspaceEvent): WorkspaceState {
  switch (event.type) {
    case 'workspace.opening':
      return { ...workspace, phase: 'opening' };
    case 'workspace.opened':
      return {
        phase: 'open',
        hostId: event.hostId,
        queue: event.queue,
        path: event.path,
        base: event.base ?? null,
        // A run that was forked begins with the tree of its snapshot, which is set back first.
        snapshot: event.base === undefined ? null : (workspace.snapshot ?? event.base),
        dirty: workspace.snapshot !== null,
        ...firstLane(plan, event),
        // As it begins with the tree, so with the files that were in the folder then.
        ...(event.artifacts === undefined ? {} : { artifacts: { ...workspace.artifacts, path: event.artifacts } }),
      };
    case 'workspace.failed':
      return { ...workspace, phase: 'none' };
    default:
      return unreachable(event);
  }
}
