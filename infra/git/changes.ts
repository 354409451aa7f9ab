import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import { git } from '#infra/git/git.ts';
import { isAbsent, look } from '#infra/git/files.ts';
import { ownIndex, setOwnHead, workspaceGit, type Workspace } from '#infra/git/control.ts';

/** A path as git gave it: one character a byte, so that names that are no UTF-8 survive. */
export type RawPath = string;

/** What `stage` did to our index: every path that differed from the last snapshot, and what needed care. */
export interface Staged {
  changed: RawPath[];
  /** Folders with a repository of their own. */
  nested: RawPath[];
  submodulesKept: string[];
  /** Submodules that are none any more. */
  submodulesGone: RawPath[];
}

/** How deep repositories may lie within repositories before a snapshot gives up. */
const maxNesting = 20;
/** Stands in for a nested repository's files while git lists them; never on disk, never in a tree. */
const probe = '.setpoint-probe';

/**
 * Brings our index to what the workspace holds: changed, new and removed paths, ignored ones not, `keep` ones too.
 * It reads files, and the index and ignore rules; it never enters a nested repository's own data (F5, F6).
 */
export async function stage(workspace: Workspace, keep: readonly string[]): Promise<Staged> {
  const submodules = await stageSubmodules(workspace);
  const changed = new Set<RawPath>(submodules.gone);
  const nested = new Set<RawPath>();
  for (let round = 0; round < maxNesting; round += 1) {
    const entries = await status(workspace);
    const folders = await nestedFolders(workspace, entries);
    if (folders.length === 0) {
      const kept = await untrackedLike(workspace, keep);
      await apply(workspace, entries, kept);
      for (const path of [...entries.map((entry) => entry.path), ...kept]) changed.add(path);
      return {
        changed: [...changed].filter((path) => !path.endsWith(`/${probe}`)),
        nested: [...nested],
        submodulesKept: submodules.kept,
        submodulesGone: submodules.gone,
      };
    }
    await openNested(workspace, folders);
    for (const folder of folders) nested.add(folder);
  }
  throw new Fault(
    'workspace/snapshot-failed',
    `${workspace.path} holds repositories within repositories more than ${maxNesting} deep. Remove them, or ignore their folder.`,
  );
}

/** The tree of our index as it stands. */
export async function writeTree(workspace: Workspace): Promise<string> {
  return (await workspaceGit(workspace, { args: ['write-tree'] })).stdout.trim();
}

/** Makes our index the last snapshot's again, after a crash left none or a broken one. */
export async function rebuildIndex(workspace: Workspace): Promise<void> {
  await rm(ownIndex(workspace.path), { force: true });
  await rm(`${ownIndex(workspace.path)}.lock`, { force: true });
  await setOwnHead(workspace.path, workspace.record.snapshot);
  await workspaceGit(workspace, { args: ['read-tree', workspace.record.snapshot] });
}

/** The bytes of a path under the workspace, for the file system. */
export function onDisk(workspace: Workspace, path: RawPath): Buffer {
  return Buffer.concat([Buffer.from(`${workspace.path}/`), Buffer.from(path.replace(/\/$/, ''), 'latin1')]);
}

/** A raw path for people: UTF-8, with replacement characters where it is none. */
export function readable(path: RawPath): string {
  return Buffer.from(path, 'latin1').toString('utf8').replace(/\/$/, '');
}

interface Entry {
  index: string;
  files: string;
  path: RawPath;
}

async function status(workspace: Workspace): Promise<Entry[]> {
  const listed = await workspaceGit(workspace, {
    args: ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all'],
    text: 'paths',
  });
  return listed.stdout
    .split('\0')
    .flatMap((line) => (line === '' ? [] : [{ index: line.charAt(0), files: line.charAt(1), path: line.slice(3) }]));
}

async function nestedFolders(workspace: Workspace, entries: readonly Entry[]): Promise<RawPath[]> {
  const found: RawPath[] = [];
  for (const { index, files, path } of entries) {
    if (index === '?' && path.endsWith('/')) found.push(path.slice(0, -1));
    // A file that became a folder with a repository in it is told as a change of type.
    else if (files === 'T' && (await look(onDisk(workspace, path)))?.isDirectory() === true) found.push(path);
  }
  return found;
}

/** With one path below it in the index, git takes the folder for an ordinary one and lists what is in it. */
async function openNested(workspace: Workspace, folders: readonly RawPath[]): Promise<void> {
  const empty = await workspaceGit(workspace, { args: ['hash-object', '-w', '--stdin'], input: '' });
  const blob = empty.stdout.trim();
  const lines = folders.flatMap((folder) => [removal(blob, folder), `100644 ${blob}\t${folder}/${probe}`]);
  await workspaceGit(workspace, { args: ['update-index', '-z', '--index-info'], input: nulEnded(lines) });
}

/** Files that git does not track, ignored ones too, whose path fits one of the globs. */
export async function untrackedLike(workspace: Workspace, globs: readonly string[]): Promise<RawPath[]> {
  if (globs.length === 0) return [];
  const specs = globs.map((pattern) => `:(glob)${pattern.endsWith('/') ? `${pattern}**` : pattern}`);
  const listed = await workspaceGit(workspace, { args: ['ls-files', '-o', '-z', '--', ...specs], text: 'paths' });
  return listed.stdout.split('\0').filter((path) => path !== '' && !path.endsWith('/'));
}

async function apply(workspace: Workspace, entries: readonly Entry[], kept: readonly RawPath[]): Promise<void> {
  const gone = entries.filter((entry) => entry.files === 'D').map((entry) => entry.path);
  const there = [
    ...entries.filter((entry) => entry.files !== 'D' && entry.files !== ' ').map((entry) => entry.path),
    ...kept,
  ];
  if (gone.length > 0) await removeFromIndex(workspace, gone);
  if (there.length > 0) {
    await workspaceGit(workspace, {
      args: ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'],
      input: nulEnded(there),
    });
  }
}

/** By name only: looking at a removed path may lead through a link that took its folder's place. */
async function removeFromIndex(workspace: Workspace, paths: readonly RawPath[]): Promise<void> {
  const lines = paths.map((path) => removal(workspace.record.base, path));
  await workspaceGit(workspace, { args: ['update-index', '-z', '--index-info'], input: nulEnded(lines) });
}

function removal(id: string, path: RawPath): string {
  return `0 ${'0'.repeat(id.length)}\t${path}`;
}

function nulEnded(lines: readonly string[]): string {
  return lines.map((line) => `${line}\0`).join('');
}

/** Submodules keep the commit that the base names, unless the folder went or became plain files. */
async function stageSubmodules(workspace: Workspace): Promise<{ gone: RawPath[]; kept: string[] }> {
  const kept: string[] = [];
  const gone: RawPath[] = [];
  for (const { path, commit } of workspace.record.submodules) {
    const folder = await look(onDisk(workspace, path));
    const state = folder?.isDirectory() === true ? await submoduleState(workspace, path, commit) : 'gone';
    if (state === 'kept') kept.push(readable(path));
    if (state === 'gone' || state === 'files') gone.push(path);
  }
  if (gone.length > 0) await removeFromIndex(workspace, gone);
  return { gone, kept };
}

/** `empty` and `same` are as the base says; `kept` has another commit; `files` is a plain folder now. */
async function submoduleState(
  workspace: Workspace,
  path: RawPath,
  commit: string,
): Promise<'empty' | 'same' | 'kept' | 'files'> {
  const folder = join(workspace.path, readable(path));
  if ((await look(join(folder, '.git'))) === undefined) return (await isEmpty(folder)) ? 'empty' : 'files';
  const head = await git({
    args: [`--git-dir=${join(folder, '.git')}`, 'rev-parse', '--verify', '-q', 'HEAD'],
    cwd: workspace.path,
    answers: [1, 128],
  });
  return head.stdout.trim() === commit ? 'same' : 'kept';
}

/** The submodules that a commit names. */
export async function listSubmodules(
  workspace: Workspace,
  commit: string,
): Promise<{ path: RawPath; commit: string }[]> {
  const listed = await workspaceGit(workspace, { args: ['ls-tree', '-r', '-z', commit], text: 'paths' });
  return listed.stdout.split('\0').flatMap((line) => {
    const found = /^160000 commit (\w+)\t(.*)$/s.exec(line);
    return found?.[1] === undefined || found[2] === undefined ? [] : [{ commit: found[1], path: found[2] }];
  });
}

async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    if (isAbsent(error)) return true;
    throw error;
  }
}
