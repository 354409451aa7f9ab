import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { WorkspacePlan } from '#core/plan/plan.ts';
import { isAbsent } from '#infra/git/files.ts';
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
 * Retires the lanes before the one of this pass (F1, E-10), once it is ready; nothing of theirs runs any more (A10). Work in them
 * that no snapshot holds is kept as a commit, which a note names. Safe to run twice. Faults: `workspace/locked`,
 * `workspace/git-failed`.
 */
export async function retireLanes({ plan, path }: AttemptInput['workspace']): Promise<string[]> {
  const notes: string[] = [];
  for (const lane of await worktreesOf(plan, path)) {
    if (lane === path) continue;
    const { left, movedAside } = await closeWorktree({ path: lane });
    const kept = left ?? movedAside;
    if (kept !== undefined) notes.push(`left_in_lane: work that no snapshot holds was kept: ${kept}`);
  }
  return notes;
}

/** The first lane of a run, which was set up when its workspace was opened. */
export function isFirstLane(path: string): boolean {
  return !/-\d+$/.test(basename(path));
}
