import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { WorkspacePlan } from '#core/plan/plan.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { Task } from '#activities/task.ts';
import { setUp } from '#activities/workspace/set-up.ts';
import { controlDir } from '#infra/git/control.ts';
import { isAbsent, look, replaceText } from '#infra/git/files.ts';
import { rollback } from '#infra/git/rollback.ts';
import { closeWorktree } from '#infra/git/worktree.ts';

/**
 * The worktrees that a run has on this host, and those that a broken-off closing left half, the newest last: of a run with a lane
 * for each pass more than one when a crash came between two. `worktree` is any of them.
 */
export async function worktreesOf({ lane }: Pick<WorkspacePlan, 'lane'>, worktree: string): Promise<string[]> {
  const found = lane === 'pass' ? await lanesOf(worktree) : [];
  return found.length === 0 ? [worktree] : found;
}

async function lanesOf(worktree: string): Promise<string[]> {
  const folder = dirname(worktree);
  const first = basename(worktree).replace(/-\d+$/, '');
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const own = names.map((name) => name.replace(/\.control$/, '')).filter((name) => isLane(name, first));
  const numbered = [...new Set(own)].toSorted((a, b) => numberOf(a) - numberOf(b));
  return numbered.map((name) => join(folder, name));
}

function numberOf(name: string): number {
  return Number(/-(\d+)$/.exec(name)?.[1] ?? 1);
}

function isLane(name: string, first: string): boolean {
  return name === first || (name.startsWith(`${first}-`) && /^\d+$/.test(name.slice(first.length + 1)));
}

/**
 * Makes the lane of a pass ready (F1, E-10), once its tree stands at the last snapshot: its set-up is done, and the lanes before
 * it are retired; nothing of theirs runs any more (A10). Work in them that no snapshot holds is kept as a commit, which a note
 * names. Safe to run twice. Faults: of `setUp`, `workspace/locked`, `workspace/git-failed`.
 */
export async function admitLane(deps: HostDeps, { workspace, from, key }: AttemptInput, task: Task): Promise<string[]> {
  const { path, plan } = workspace;
  const others = (await lanesOf(path)).filter((lane) => lane !== path);
  if (plan.setup !== undefined && from !== undefined && !isFirst(path) && !(await wasSetUp(path))) {
    await setUp(deps, { runId: key.runId, path, command: plan.setup, pass: key.pass }, task);
    // What the set-up made of files that are in the snapshot is not the work's.
    await rollback({ worktree: path, to: from.commit });
    await replaceText(doneFile(path), '');
  }
  const notes: string[] = [];
  for (const lane of others) {
    const { left, movedAside } = await closeWorktree({ path: lane });
    const kept = left ?? movedAside;
    if (kept !== undefined) notes.push(`left_in_lane: work that no snapshot holds was kept: ${kept}`);
  }
  return notes;
}

/** The first lane was set up when the workspace was opened. */
function isFirst(path: string): boolean {
  return !/-\d+$/.test(basename(path));
}

/** Beside the worktree, so that a lane that is built anew is set up anew. */
const doneFile = (path: string): string => join(controlDir(path), 'set-up-done');

async function wasSetUp(path: string): Promise<boolean> {
  return (await look(doneFile(path))) !== undefined;
}
