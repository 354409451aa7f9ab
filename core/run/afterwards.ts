import type { CleanupWork } from '#core/contract/cleanup.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { RunState } from '#core/run/state.ts';

/**
 * The clean-up that the plan asks for once the run has ended (T-09), as a person would ask for it: the snapshots stay, and a
 * worktree with work that none of them holds stays, too. `undefined` when it is to be kept, or there is none.
 */
export function afterwards(plan: Plan, state: RunState): CleanupWork | undefined {
  const { queue, base } = state.workspace;
  const isAsked = state.stop !== null && plan.workspace.afterwards === 'remove';
  if (!isAsked || queue === null || base === null) return undefined;
  return { queue, request: { runId: state.runId, snapshots: false, dryRun: false } };
}
