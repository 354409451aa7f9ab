import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { Task } from '#activities/task.ts';
import { isFirstLane } from '#activities/workspace/lanes.ts';
import { setUp } from '#activities/workspace/set-up.ts';
import { controlDir } from '#infra/git/control.ts';
import { look, replaceText } from '#infra/git/files.ts';
import { rollback } from '#infra/git/rollback.ts';

interface Anew {
  input: Pick<AttemptInput, 'workspace' | 'key'>;
  /** The snapshot that the worktree holds. */
  at: string;
  /** The worktree has just been made. */
  isNew: boolean;
}

/**
 * Sets a worktree up that was made anew for an attempt: the lane of a new pass, or in place of one that was cleaned up or that
 * somebody deleted (F1). A set-up that was broken off is done again. Faults: of `setUp`, `rollback`.
 */
export async function setUpAnew(deps: HostDeps, { input, at, isNew }: Anew, task: Task): Promise<void> {
  const { workspace, key } = input;
  const { path, plan } = workspace;
  if (plan.setup === undefined) return;
  // Beside the worktree, so that they go with it.
  const [due, done] = [join(controlDir(path), 'set-up-due'), join(controlDir(path), 'set-up-done')];
  if (isNew) await replaceText(due, '');
  const isDue = await isThere(due);
  // Of a lane it is known without a mark that it must be set up.
  if (!isDue && (isFirstLane(path) || (await isThere(done)))) return;
  await setUp(deps, { runId: key.runId, path, command: plan.setup, pass: key.pass }, task);
  // What the set-up made of files that are in the snapshot is not the work's.
  await rollback({ worktree: path, to: at });
  await replaceText(done, '');
  await rm(due, { force: true });
}

async function isThere(path: string): Promise<boolean> {
  return (await look(path)) !== undefined;
}
