import { unreachable } from '#core/exhaustive.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { RunState, StepState } from '#core/run/state.ts';
import { stepOf } from '#core/run/state.ts';

/**
 * Decision 14: is the workspace free for this step? One writer at a time: from its first attempt until its pass is
 * decided, a writer holds it, and so does whatever is being cancelled until it has settled. A reader works on its own
 * checkout and takes the workspace only for its checks. With `worktree: off` nothing is held.
 */
export function workspaceFree(plan: Plan, state: RunState, id: string): boolean {
  if (!plan.workspace.worktree) return true;
  return plan.steps.every((other) => other.id === id || !holds(other, stepOf(state, other.id)));
}

function holds(plan: StepPlan, step: StepState): boolean {
  if (plan.work.kind === 'person' || plan.work.kind === 'call') return holdsForConditions(step);
  if (!plan.readOnly) return step.busy !== null || isMidPass(step);
  return holdsForConditions(step);
}

/** A reader attempts on its own checkout, people and calls need none; their conditions and checks run in the workspace. */
function holdsForConditions({ busy }: StepState): boolean {
  return busy !== null && (busy.work === 'when' || busy.work === 'repeat' || busy.work === 'checks');
}

/** Between its first attempt and the decision on its pass. */
export function isMidPass(step: StepState): boolean {
  switch (step.phase) {
    case 'idle':
    case 'done':
      return false;
    case 'cleared':
      return step.attempt > 0;
    case 'interrupted':
    case 'resumable':
    case 'lost':
    case 'asking':
    case 'calling':
    case 'attempted':
    case 'judged':
      return true;
    default:
      return unreachable(step.phase);
  }
}
