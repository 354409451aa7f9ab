import { resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import type { OpenWorkspaceInput, WorkspaceOpened } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import { hostQueue } from '#core/contract/queue.ts';
import { present } from '#core/definition/present.ts';
import type { SnapshotRef } from '#core/run/attempt-result.ts';
import { openFolder } from '#activities/artifacts/folder.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { asTask, type Task } from '#activities/task.ts';
import { layKept } from '#activities/workspace/lay-kept.ts';
import { artifactsOf, worktreeOf } from '#activities/workspace/places.ts';
import { setUp } from '#activities/workspace/set-up.ts';
import { holdSnapshot } from '#infra/git/hold-snapshot.ts';
import { inspectRepository, resolveBase } from '#infra/git/repository.ts';
import { treeOf } from '#infra/git/tree.ts';
import { closeWorktree, openWorktree } from '#infra/git/worktree.ts';
import type { StoredWorkspace } from '#infra/postgres/workspace-store.ts';

/**
 * Gives a run its workspace on this host (F1, F4): a worktree detached at the base with its set-up done, or the given
 * checkout itself. Safe to run twice, also on another host: the first workspace of a run stays, wherever it is, and is
 * the answer. Nothing is opened for a run whose steps name a secret that is not there. Faults: of `openWorktree`,
 * `secret/*`, `workspace/setup-failed`, `workspace/snapshot-gone`, `workspace/missing`.
 */
export function openWorkspace(deps: HostDeps, input: OpenWorkspaceInput): Promise<WorkspaceOpened> {
  return asTask(deps, `${input.runId}/@open`, async (task) => {
    // A try before this one may have got so far, and the engine was not told.
    const before = task.tries > 1 ? await persist(() => deps.workspaces.find(input.runId), task.signal) : undefined;
    if (before !== undefined && before.hostId !== deps.hostId) return elsewhere(before);
    await persist(() => deps.secrets.requireAll(input.runId), task.signal);
    const place = input.workspace.worktree ? await worktree(deps, input, task, before) : await inPlace(deps, input);
    const opened = { ...place, ...(await folderOf(deps, input)) };
    const stored = await persist(() => deps.workspaces.put(input.runId, storedOf(opened)), task.signal);
    if (stored.hostId === deps.hostId) return opened;
    // Both were at it at once: what was opened here has no work in it.
    if (input.workspace.worktree) await closeWorktree({ path: opened.path, work: 'drop' });
    return elsewhere(stored);
  });
}

function elsewhere({ hostId, path, base, artifacts }: StoredWorkspace): WorkspaceOpened {
  return { hostId, queue: hostQueue(hostId), path, ...present({ base: base ?? undefined, artifacts }), notes: [] };
}

function storedOf({ hostId, path, base, artifacts }: WorkspaceOpened): StoredWorkspace {
  return { hostId, path, base: base ?? null, ...present({ artifacts }) };
}

/** D-06: a run that was forked begins with the files that the first one had there. */
async function folderOf(
  deps: HostDeps,
  { runId, artifacts }: OpenWorkspaceInput,
): Promise<Pick<WorkspaceOpened, 'artifacts'>> {
  if (artifacts === undefined) return {};
  const path = artifactsOf(deps.home, runId);
  await openFolder(deps, { ...artifacts, path });
  return { artifacts: path };
}

async function inPlace(deps: HostDeps, { workspace }: OpenWorkspaceInput): Promise<WorkspaceOpened> {
  const path = resolve(workspace.repo);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new Fault('workspace/not-a-repository', `${path} is no folder on host ${deps.hostId}. Name one that exists.`);
  }
  return { hostId: deps.hostId, queue: deps.queue, path, notes: [] };
}

async function worktree(
  deps: HostDeps,
  input: OpenWorkspaceInput,
  task: Task,
  before: StoredWorkspace | undefined,
): Promise<WorkspaceOpened> {
  const { workspace, runId } = input;
  const repository = await inspectRepository(resolve(workspace.repo));
  // The branch may have moved since a try before this one.
  const named = before?.base?.commit ?? workspace.base;
  const commit = named === undefined ? repository.head : await resolveBase(repository, named);
  const path = worktreeOf(deps.home, runId);
  // Before anything else: the run that it is of may be cleaned up at any moment.
  if (input.snapshot !== undefined) await holdSnapshot(repository, runId, input.snapshot);
  const opened = await openWorktree({ repo: repository.root, path, base: commit, runId });
  const base: SnapshotRef = { commit, tree: await treeOf(repository, commit), head: commit };
  const laid = input.kept === undefined ? [] : await layKept(deps, path, input.kept);
  if (workspace.setup !== undefined) await setUp(deps, { runId, path, command: workspace.setup }, task);
  const aside = opened.movedAside.map((place) => `A leftover was moved to ${place}.`);
  const notes = [...aside, ...dirtyNote(repository.dirty), ...laid];
  return { hostId: deps.hostId, queue: deps.queue, path, base, notes };
}

/** The run works on a commit; what is not committed is not part of it, and the user is told. */
function dirtyNote(dirty: readonly string[]): string[] {
  if (dirty.length === 0) return [];
  const shown = dirty.slice(0, 5).join(', ');
  const more = dirty.length > 5 ? ` and ${dirty.length - 5} more` : '';
  return [`Uncommitted changes are not part of the run: ${shown}${more}. Commit them to include them.`];
}
