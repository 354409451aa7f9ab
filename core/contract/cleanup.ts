import { z } from 'zod';

/** `POST /v1/runs/{id}/cleanup`. */
export const Cleanup = z.strictObject({
  /** Removes the refs of the run's snapshots too: once git has let them go, the run has no diff and no retry. */
  snapshots: z.boolean().optional(),
  /** Only tells what would be removed. */
  dryRun: z.boolean().optional(),
});
export type Cleanup = z.infer<typeof Cleanup>;

/** What was removed, or with `dryRun` would be. */
export const CleanedUp = z.object({
  /** The worktree's path on its host; null when there is none (any more). */
  worktree: z.string().nullable(),
  /** Checkouts of readers that a crash had left. */
  readers: z.number().int(),
  /** Refs of snapshots; 0 unless they were asked for. */
  snapshots: z.number().int(),
  /** Refs that stay whatever is asked: a delivered commit, commits made by hand, work kept from the worktree. */
  keptRefs: z.number().int(),
  /**
   * The run's folder of artifacts; absent when it has none (any more). `list` is the artifact with its files, which stay in
   * the store; null when they are too many or too large to be kept, and the folder was left where it is.
   */
  artifacts: z.object({ path: z.string(), files: z.number().int(), list: z.string().nullable() }).optional(),
});
export type CleanedUp = z.infer<typeof CleanedUp>;

/** `pending`: its host did not do it in time; it is done as soon as the host is back. */
export const CleanupShown = z.object({
  runId: z.string(),
  status: z.enum(['cleaned', 'dry_run', 'pending']),
  /** Absent while `pending`. */
  removed: CleanedUp.optional(),
  /** Why it is pending, one sentence. */
  why: z.string().optional(),
});
export type CleanupShown = z.infer<typeof CleanupShown>;

/** What the run's host is asked for. */
export interface CleanupInput {
  runId: string;
  snapshots: boolean;
  dryRun: boolean;
}

/**
 * What the run's host answers (T-29). `unsaved`: work in the worktree that no snapshot or commit holds, `changed` at most
 * 20 of its paths; `unreadable`: it cannot be told from work. In both nothing was touched. `not_ended`: the run was
 * taken up again meanwhile.
 */
export const CleanupOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cleaned'), removed: CleanedUp }),
  z.object({ kind: z.literal('unsaved'), path: z.string(), changed: z.array(z.string()), count: z.number().int() }),
  z.object({ kind: z.literal('unreadable'), path: z.string() }),
  z.object({ kind: z.literal('not_ended') }),
]);
export type CleanupOutcome = z.infer<typeof CleanupOutcome>;

/** What the workflow `cleanup` starts from: the host's own queue, and what that host is asked for. */
export interface CleanupWork {
  queue: string;
  request: CleanupInput;
}
