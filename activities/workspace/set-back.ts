import { resolve } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import type { WorkspacePlan } from '#core/plan/plan.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import type { Task } from '#activities/task.ts';
import { setUp } from '#activities/workspace/set-up.ts';
import { restoreWorktree } from '#infra/git/checkout.ts';
import { rollback } from '#infra/git/rollback.ts';
import { closeWorktree } from '#infra/git/worktree.ts';

export interface SetBack {
  runId: string;
  workspace: { plan: WorkspacePlan; path: string };
  /** The snapshot that the workspace is to hold. */
  to: string;
}

/**
 * Sets a run's workspace to exactly the tree of a snapshot before something looks at it (B12). One that somebody deleted
 * is rebuilt there, with its set-up done (F1). Faults: of `rollback`, `openWorktree` and `setUp`.
 */
export async function setBack(deps: HostDeps, request: SetBack, task: Task): Promise<void> {
  const { workspace, to } = request;
  try {
    await rollback({ worktree: workspace.path, to });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'workspace/missing') throw error;
    await rebuild(deps, request, task);
  }
}

async function rebuild(deps: HostDeps, { runId, workspace, to }: SetBack, task: Task): Promise<void> {
  const { plan, path } = workspace;
  const stored = await persist(() => deps.workspaces.find(runId), task.signal);
  const base = stored?.base?.commit ?? to;
  await restoreWorktree({ repo: resolve(plan.repo), path, base, runId, commit: to });
  if (plan.setup === undefined) return;
  try {
    await setUp(deps, { runId, path, command: plan.setup }, task);
    // What the set-up made of files that are in the snapshot is not the work's.
    await rollback({ worktree: path, to });
  } catch (error) {
    // Half set up it would be taken for whole by the next try, and fail checks that have nothing to do with it.
    await closeWorktree({ path, work: 'drop' });
    throw error;
  }
}
