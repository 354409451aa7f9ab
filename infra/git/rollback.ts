import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import type { PathChange, Rollback, TreeState } from '#core/workspace/snapshot.ts';
import { allEnded } from '#infra/git/all-ended.ts';
import { listSubmodules, onDisk, readable, type Staged, writeTree } from '#infra/git/changes.ts';
import { controlDir, setOwnHead, type Workspace, workspaceGit, writeRecord } from '#infra/git/control.ts';
import { look } from '#infra/git/files.ts';
import { readHead, restoreHead } from '#infra/git/head.ts';
import { mendPointer } from '#infra/git/pointer.ts';
import { locked, stageSafely } from '#infra/git/snapshot.ts';

const maxListed = 200;
/** A roll-back that restores an ignore rule uncovers files that the changed rule hid. */
const maxRounds = 4;

/**
 * What the worktree holds now against its last snapshot: its fingerprint (C8) and the changed paths (B12), ignored files
 * apart but for those that `keep` names. Changes nothing in the worktree and makes no snapshot. Throws `workspace/missing`, `workspace/git-failed`, `workspace/locked`.
 */
export async function treeState(worktree: string, keep: readonly string[] = []): Promise<TreeState> {
  return locked(worktree, async (workspace) => {
    const [staged, head] = await allEnded([stageSafely(workspace, keep), readHead(workspace)]);
    const tree = staged.changed.length === 0 ? workspace.record.tree : await writeTree(workspace);
    const changed = tree === workspace.record.tree ? [] : await treeChanges(workspace, workspace.record.tree, tree);
    return { fingerprint: { tree, head: head.commit }, changed: changed.slice(0, maxListed), count: changed.length };
  });
}

/**
 * Sets the worktree to exactly the tree of `to`, a snapshot or commit: changed paths restored, new ones removed, ignored
 * files left, HEAD as it was at the last snapshot (B12). `to` becomes the last snapshot. Tells what it undid.
 * Throws `workspace/missing`, `workspace/git-failed` (also when the tree would not settle), `workspace/locked`.
 */
export async function rollback({ worktree, to }: { worktree: string; to: string }): Promise<Rollback> {
  return locked(worktree, async (before) => {
    await mendPointer(before);
    const target = await commitFacts(before, to);
    const undone = new Map<string, PathChange>();
    let workspace = before;
    for (let round = 0; ; round += 1) {
      const staged = await stageSafely(workspace, []);
      const tree = staged.changed.length === 0 ? workspace.record.tree : await writeTree(workspace);
      if (tree === target.tree && staged.nested.length === 0) break;
      if (round === maxRounds) throw unsettled(worktree, to);
      for (const change of await treeChanges(workspace, target.tree, tree)) undone.set(change.path, change);
      await reset(workspace, to, staged);
      const submodules = workspace.record.hasSubmodules ? await listSubmodules(workspace, to) : [];
      workspace = { path: worktree, record: { ...workspace.record, snapshot: to, ...target, submodules } };
    }
    const { headMoved, headLogBytes } = await putHeadBack(workspace);
    await setOwnHead(worktree, to);
    await writeRecord(worktree, { ...workspace.record, snapshot: to, ...target, headLogBytes });
    const changes = [...undone.values()];
    return { tree: target.tree, undone: changes.slice(0, maxListed), count: changes.length, headMoved };
  });
}

function unsettled(worktree: string, to: string): Fault {
  return new Fault(
    'workspace/git-failed',
    `${worktree} does not settle at ${to}: something still writes there. End it and try again.`,
  );
}

/** Everything present is in our index by now, so that git removes what `to` has not. */
async function reset(workspace: Workspace, to: string, staged: Staged): Promise<void> {
  await workspaceGit(workspace, { args: ['read-tree', '--reset', '-u', to] });
  await setOwnHead(workspace.path, to);
  for (const folder of staged.nested) {
    if (!workspace.record.nested.includes(folder)) await removeNestedData(workspace, folder);
  }
}

/** The data of a repository that appeared since the snapshot: its files are gone, this would keep the folder alive. */
async function removeNestedData(workspace: Workspace, folder: string): Promise<void> {
  const data = onDisk(workspace, `${folder}/.git`);
  if ((await look(data)) === undefined) return;
  const aside = join(controlDir(workspace.path), 'removed-git');
  await rm(aside, { recursive: true, force: true });
  await rename(data, aside);
  await rm(aside, { recursive: true, force: true });
  await workspaceGit(workspace, { args: ['clean', '-d', '-f', '-q', '--', `:(literal)${folder}`] });
}

/** The log is read from here on, so that a check's commits are not taken for the agent's. */
async function putHeadBack(workspace: Workspace): Promise<{ headMoved: boolean; headLogBytes: number }> {
  const head = await readHead(workspace);
  const headMoved = head.text !== workspace.record.headText || head.commit !== workspace.record.head;
  if (headMoved) await restoreHead(workspace);
  return { headMoved, headLogBytes: head.logBytes };
}

async function commitFacts(workspace: Workspace, commit: string): Promise<{ tree: string; parent: string }> {
  if (commit === workspace.record.snapshot) return { tree: workspace.record.tree, parent: workspace.record.parent };
  const shown = await workspaceGit(workspace, { args: ['log', '-1', '--format=%T %P', commit, '--'] });
  const [tree, parent] = shown.stdout.trim().split(' ');
  return { tree: tree ?? '', parent: parent ?? commit };
}

async function treeChanges(workspace: Workspace, from: string, to: string): Promise<PathChange[]> {
  const listed = await workspaceGit(workspace, {
    args: ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to],
    text: 'paths',
  });
  return parseNameStatus(listed.stdout);
}

/** The output of `--name-status -z`: letter, path, letter, path … */
export function parseNameStatus(text: string): PathChange[] {
  const fields = text.split('\0');
  const changes: PathChange[] = [];
  for (let n = 0; n + 1 < fields.length; n += 2) {
    changes.push({ path: readable(fields[n + 1] ?? ''), change: changeOf(fields[n] ?? '') });
  }
  return changes;
}

function changeOf(letter: string): PathChange['change'] {
  if (letter === 'A') return 'added';
  return letter === 'D' ? 'removed' : 'modified';
}
