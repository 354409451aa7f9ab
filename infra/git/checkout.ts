import { rollback } from '#infra/git/rollback.ts';
import { locked } from '#infra/git/snapshot.ts';
import { keepLeftWork, openWorktree, type OpenedWorktree, type WorktreeRequest } from '#infra/git/worktree.ts';

export interface CheckoutRequest {
  /** A path inside the repository. */
  repo: string;
  /** The snapshot, or any commit. */
  commit: string;
  path: string;
  runId: string;
}

/**
 * A clean checkout of a snapshot for a reader: a step, reviewer or check that must not see the workspace
 * (decision 14). HEAD is the snapshot, so git in it shows no change. Run again it is clean again, ignored files (its own
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

/** `left`: the ref of a commit with what a broken-off attempt had left, if that was more than the last snapshot. */
export interface RestoredWorktree extends OpenedWorktree {
  tree: string;
  /** Number of paths that were set back. */
  undone: number;
  left?: string;
}

/**
 * The run's worktree at exactly the tree of a snapshot: opened if need be, whatever a broken-off attempt left in it
 * kept as a commit and undone (E5, F1, F3). Faults as `openWorktree` and `rollback`.
 */
export async function restoreWorktree({ commit, ...request }: RestoreRequest): Promise<RestoredWorktree> {
  const opened = await openWorktree(request);
  const kept = opened.adopted ? await locked(request.path, keepLeftWork) : {};
  const movedAside = [...opened.movedAside, ...(kept.movedAside === undefined ? [] : [kept.movedAside])];
  if (kept.movedAside !== undefined) await openWorktree(request);
  const { tree, count } = await rollback({ worktree: request.path, to: commit });
  const left = kept.left === undefined ? {} : { left: kept.left };
  return { ...opened, ...left, movedAside, snapshot: commit, tree, undone: opened.adopted ? count : 0 };
}
