import { readRecord } from '#infra/git/control.ts';
import { look } from '#infra/git/files.ts';
import { treeState } from '#infra/git/rollback.ts';
import { treeOf } from '#infra/git/tree.ts';

/** `unreadable`: a folder without our record, or whose repository is gone, cannot be told from work. */
export type Unsaved = { kind: 'none' } | { kind: 'work'; paths: string[]; count: number } | { kind: 'unreadable' };

const maxPaths = 20;

/**
 * The work in a run's worktree that neither its last snapshot nor the commit at its HEAD holds, seen as a snapshot would
 * see it (F2). Changes nothing. Throws `workspace/git-failed`, `workspace/locked`.
 */
export async function unsavedWork(worktree: string, keep: readonly string[]): Promise<Unsaved> {
  if ((await look(worktree)) === undefined) return { kind: 'none' };
  const record = await readRecord(worktree);
  if (record === undefined || (await look(record.commonDir)) === undefined) return { kind: 'unreadable' };
  // It was never handed out.
  if (record.phase === 'opening') return { kind: 'none' };
  const { fingerprint, changed, count } = await treeState(worktree, keep);
  if (count === 0) return { kind: 'none' };
  if (!/^0+$/.test(fingerprint.head) && (await treeOf(record, fingerprint.head)) === fingerprint.tree) {
    return { kind: 'none' };
  }
  return { kind: 'work', paths: changed.slice(0, maxPaths).map(({ path }) => path), count };
}
