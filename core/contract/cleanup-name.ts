import type { CleanupInput } from '#core/contract/cleanup.ts';

/** The Temporal workflow type of a clean-up. Apart from the shapes, which would bring zod into the bundle of workflows. */
export const cleanupWorkflowType = 'cleanup';

/** One at a time for each run and question; a repeated call joins the one that is under way. */
export function cleanupId({ runId, snapshots, dryRun }: CleanupInput): string {
  return `cleanup_${runId}${snapshots ? '+snapshots' : ''}${dryRun ? '+dry-run' : ''}`;
}
