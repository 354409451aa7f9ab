import type { CleanupWork } from '#core/contract/cleanup.ts';
import { handlersFor } from '#core/plan/handlers.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { RunState } from '#core/run/state.ts';

/**
 * The clean-up that the plan asks for once the run has ended (T-09), as a person would ask for it: the snapshots stay, and a
 * worktree with work that none of them holds stays, too. It goes, too, when it only stayed after the delivery for the
 * handlers of a success (D-14). `undefined` when it is to be kept, or there is none.
 */
export function afterwards(plan: Plan, state: RunState): CleanupWork | undefined {
  const { queue, base } = state.workspace;
  const isDue = plan.workspace.afterwards === 'remove' || stayedForHandlers(plan, state);
  if (state.stop === null || !isDue || queue === null || base === null) return undefined;
  return { queue, request: { runId: state.runId, snapshots: false, dryRun: false } };
}

/** A delivery takes the worktree away; with handlers to come it leaves that to the end. */
function stayedForHandlers(plan: Plan, { stop, delivery: { done } }: RunState): boolean {
  const isDelivered = done !== null && !done.nothingToDeliver && stop?.kind === 'succeeded';
  return isDelivered && handlersFor(plan, 'succeeded').length > 0;
}
