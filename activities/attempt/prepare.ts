import { resolve } from 'node:path';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { Task } from '#activities/task.ts';
import { retireLanes } from '#activities/workspace/lanes.ts';
import { readerOf } from '#activities/workspace/places.ts';
import { setUpAnew } from '#activities/workspace/set-up-anew.ts';
import { checkoutSnapshot, restoreWorktree } from '#infra/git/checkout.ts';
import { closeWorktree, openWorktree } from '#infra/git/worktree.ts';

/** Where an attempt works. */
export interface Place {
  path: string;
  access: 'write' | 'read';
  /** The workspace was set to the last snapshot, and is not as its agent left it (E4). */
  rebuilt: boolean;
  /** What whoever reads the attempt should know of the place. */
  notes: string[];
  /** Gives the place back; a writer's stays. */
  leave(): Promise<void>;
}

/**
 * The tree that an attempt starts from: the run's workspace, rebuilt at the last snapshot after an interruption or
 * when somebody deleted it (E5), or the pass has a new one (F1); for a reader a checkout of its own (decision 14).
 */
export async function prepare(deps: HostDeps, input: AttemptInput, task: Task): Promise<Place> {
  const { workspace, from, step, key } = input;
  const access = step.readOnly ? 'read' : 'write';
  const stay = async () => undefined;
  if (workspace.base === undefined || from === undefined)
    return { path: workspace.path, access, rebuilt: false, notes: [], leave: stay };
  const repo = resolve(workspace.plan.repo);
  if (step.readOnly) {
    const path = readerOf(deps.home, { runId: key.runId, step: step.id });
    await checkoutSnapshot({ repo, commit: from.commit, path, runId: key.runId });
    return {
      path,
      access,
      rebuilt: false,
      notes: [],
      leave: async () => void (await closeWorktree({ path, work: 'drop' })),
    };
  }
  const request = { repo, path: workspace.path, base: workspace.base.commit, runId: key.runId };
  const opened = await openWorktree(request);
  const asLeft = opened.adopted && !input.restore;
  const rebuilt = !asLeft || opened.snapshot !== from.commit;
  if (rebuilt) await restoreWorktree({ ...request, commit: from.commit });
  await setUpAnew(deps, { input, at: from.commit, isNew: !opened.adopted }, task);
  const notes = await retireLanes(workspace);
  return { path: workspace.path, access, rebuilt, notes, leave: stay };
}
