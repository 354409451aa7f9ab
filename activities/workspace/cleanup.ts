import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CleanedUp, CleanupInput, CleanupOutcome } from '#core/contract/cleanup.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { WorkspacePlan } from '#core/plan/plan.ts';
import { keepFolder } from '#activities/artifacts/keep-folder.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets } from '#activities/secrets.ts';
import { asTask, type Task } from '#activities/task.ts';
import { worktreesOf } from '#activities/workspace/lanes.ts';
import { readersOf } from '#activities/workspace/places.ts';
import { readRecord } from '#infra/git/control.ts';
import { isAbsent, look } from '#infra/git/files.ts';
import { forgetRefs, runRefsOf } from '#infra/git/forget-snapshots.ts';
import { unsavedWork } from '#infra/git/unsaved.ts';
import { closeWorktree } from '#infra/git/worktree.ts';
import type { RunRow } from '#infra/postgres/run-store.ts';
import type { StoredWorkspace } from '#infra/postgres/workspace-store.ts';

/**
 * Removes the worktree of a run that has ended, and the refs of its snapshots when asked (T-29); events and artifacts
 * stay. So does what is kept of its folder of artifacts. Work that no snapshot or commit holds is never removed. Asked again it finds nothing left to do. Faults:
 * `workspace/locked`, `workspace/git-failed`, `store/unavailable`.
 */
export function cleanupWorkspace(deps: HostDeps, input: CleanupInput): Promise<CleanupOutcome> {
  const place = `${input.runId}/@cleanup`;
  return asTask(deps, place, async (task) => {
    if ((await endedRun(deps, input, task)) === undefined) return { kind: 'not_ended' };
    // A retry that comes now finds its worktree whole or gone, never half.
    const release = await deps.occupancy.holdRun(place);
    try {
      return await cleanedUp(deps, input, task);
    } finally {
      release();
    }
  });
}

/** It may have waited long for this host: a run that was taken up again meanwhile needs its workspace. */
async function endedRun(deps: HostDeps, { runId }: CleanupInput, task: Task): Promise<RunRow | undefined> {
  const run = await persist(() => deps.runs.find(runId), task.signal);
  return run?.summary.status === 'ended' ? run : undefined;
}

async function cleanedUp(deps: HostDeps, input: CleanupInput, task: Task): Promise<CleanupOutcome> {
  const run = await endedRun(deps, input, task);
  if (run === undefined) return { kind: 'not_ended' };
  const stored = await persist(() => deps.workspaces.find(input.runId), task.signal);
  const { workspace } = run.plan;
  // Without a worktree (F4) the path is the person's own checkout.
  if (stored === undefined) return { kind: 'cleaned', removed: nothing };
  if (!workspace.worktree) return cleaned(deps, { ...input, signal: task.signal }, stored, nothing);
  const owner = (await readRecord(stored.path))?.runId ?? input.runId;
  if (owner !== input.runId) return { kind: 'cleaned', removed: nothing };
  const worktrees = await worktreesOf(workspace, stored.path);
  for (const path of worktrees) {
    const found = await unsaved(path, workspace);
    if (found !== undefined) return found;
  }
  const request = { ...input, signal: task.signal };
  return cleaned(deps, request, stored, await remove(deps, { input, workspace, worktrees }));
}

/** Why a worktree is not to be removed; `undefined` when all its work is in a snapshot. */
async function unsaved(path: string, workspace: WorkspacePlan): Promise<CleanupOutcome | undefined> {
  const found = await unsavedWork(path, workspace.keep);
  switch (found.kind) {
    case 'work':
      return { kind: 'unsaved', path, changed: found.paths, count: found.count };
    case 'unreadable':
      return { kind: 'unreadable', path };
    case 'none':
      return undefined;
    default:
      return unreachable(found);
  }
}

/** D-06: its files are kept as evidence before the folder goes; what is too large for that stays where it is. */
// One removal with all that it rests on.
// oxlint-disable-next-line max-params
async function cleaned(
  deps: HostDeps,
  { runId, dryRun, signal }: CleanupInput & { signal: AbortSignal },
  { artifacts: path }: StoredWorkspace,
  removed: CleanedUp,
): Promise<CleanupOutcome> {
  if (path === undefined || (await look(path)) === undefined) return { kind: 'cleaned', removed };
  const hidden = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(runId), signal));
  const kept = await keepFolder(deps, { path, hidden });
  if (kept.kind === 'tooLarge')
    return { kind: 'cleaned', removed: { ...removed, artifacts: { path, files: 0, list: null } } };
  if (!dryRun) await rm(path, { recursive: true, force: true });
  const artifacts = { path, files: kept.files, list: kept.list.sha256 };
  return { kind: 'cleaned', removed: { ...removed, artifacts } };
}

const nothing: CleanedUp = { worktree: null, readers: 0, snapshots: 0, keptRefs: 0 };

async function remove(
  deps: HostDeps,
  { input, workspace, worktrees }: { input: CleanupInput; workspace: WorkspacePlan; worktrees: readonly string[] },
): Promise<CleanedUp> {
  const { runId, snapshots, dryRun } = input;
  const repo = resolve(workspace.repo);
  const there = await Promise.all(worktrees.map(async (path) => ((await look(path)) === undefined ? [] : [path])));
  const worktree = there.flat().at(-1) ?? null;
  const readers = await readersLeft(readersOf(deps.home, runId));
  if (!dryRun) {
    for (const reader of readers) await closeWorktree({ path: reader, work: 'drop' });
    // What is written there after the look, and commits made by hand, are kept under refs.
    for (const path of worktrees) await closeWorktree({ path });
  }
  const refs = await runRefsOf(repo, runId);
  if (!dryRun && snapshots) await forgetRefs(repo, refs.snapshots);
  return {
    worktree,
    readers: readers.length,
    snapshots: snapshots ? refs.snapshots.length : 0,
    keptRefs: refs.kept.length,
  };
}

/** Readers close their checkouts themselves: what is here was left by a crash. */
async function readersLeft(folder: string): Promise<string[]> {
  const steps = await foldersIn(folder);
  const found = await Promise.all(
    steps.map(async (step) => {
      const own = join(step, 'step');
      const ofStep = (await look(own)) === undefined ? [] : [own];
      return [...ofStep, ...(await foldersIn(join(step, 'checks')))];
    }),
  );
  return found.flat();
}

/** Without what is ours beside a checkout. */
async function foldersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  return names.filter((name) => !name.endsWith('.control')).map((name) => join(folder, name));
}
