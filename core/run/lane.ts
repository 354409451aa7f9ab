import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import type { RunState, WorkspaceState } from '#core/run/state.ts';
import { isWriter } from '#core/run/workspace-lock.ts';

/**
 * Lanes (F1, E-10): with `lane: pass` each pass of a loop works in a worktree of its own, built from the last snapshot. The one
 * before stays until the next is admitted, which is when the first writer of the new pass begins.
 */

/** The lane that a run begins in: the worktree that was opened for it. */
export function firstLane(plan: Plan, event: RunEventOf<'workspace.opened'>): Pick<WorkspaceState, 'lane'> {
  if (plan.workspace.lane !== 'pass' || event.base === undefined) return {};
  return { lane: { number: 1, first: event.path, due: false } };
}

/** Work that goes back begins anew: what it begins with is to be a new lane. */
export function laneDue(state: RunState, event: RunEvent): RunState {
  const { lane } = state.workspace;
  const goesBack = event.type === 'loop.fired' || event.type === 'step.pushed_back' || event.type === 'run.retried';
  if (lane === undefined || !goesBack) return state;
  return { ...state, workspace: { ...state.workspace, lane: { ...lane, due: true } } };
}

/** Comes before the attempt of a writer when a new lane is due; `undefined` otherwise. */
export function admission(state: RunState, step: StepPlan): RunEventOf<'lane.admitted'> | undefined {
  const { lane } = state.workspace;
  if (lane?.due !== true || !isWriter(step)) return undefined;
  const number = lane.number + 1;
  return { type: 'lane.admitted', at: state.now, number, path: `${lane.first}-${number}` };
}

/** From now on all work of the run is done there; what may lie there of a broken-off try is set back first. */
export function admitted(workspace: WorkspaceState, { number, path }: RunEventOf<'lane.admitted'>): WorkspaceState {
  const { lane } = workspace;
  return lane === undefined ? workspace : { ...workspace, path, dirty: true, lane: { ...lane, number, due: false } };
}
