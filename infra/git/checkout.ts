import { rollback } from '#infra/git/rollback.ts';
import { openWorktree, type OpenedWorktree, type WorktreeRequest } from '#infra/git/worktree.ts';

export interface CheckoutRequest {
  /** A path inside the repository. */
  repo: string;
  /** The snapshot, or any commit. */
  commit: string;
  path: string;
  runId: string;
}

/**
 * A clean checkout of a snapshot for a reader: a step, reviewer or check that must not see the workspace (ARCHITECTURE
 * decision 14). HEAD is the snapshot, so git in it shows no change. Run again it is clean again, ignored files (its own
 * set-up) left. Closed with `closeWorktree`, `work: 'drop'`. Faults as `openWorktree`.
 */
export async function checkoutSnapshot({ repo, commit, path, runId }: CheckoutRequest): Promise<OpenedWorktree> {
  const opened = await openWorktree({ repo, path, base: commit, runId });
  if (opened.adopted) await rollback({ worktree: path, to: commit });
  return { ...opened, snapshot: commit };
}

export interface RestoreRequest extends WorktreeRequest {
  /** The snapshot whose tree the worktree is to hold. */
  commit: string;
}

/**
 * The run's worktree at exactly the tree of a snapshot: opened if need be, whatever a broken-off attempt left in it
 * undone (E5, F3). What is moved aside or undone is told. Faults as `openWorktree` and `rollback`.
 */
export async function restoreWorktree({
  commit,
  ...request
}: RestoreRequest): Promise<OpenedWorktree & { tree: string; undone: number }> {
  const opened = await openWorktree(request);
  const { tree, count } = await rollback({ worktree: request.path, to: commit });
  return { ...opened, snapshot: commit, tree, undone: opened.adopted ? count : 0 };
}
