import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import { allEnded } from '#infra/git/all-ended.ts';
import { listSubmodules, writeTree } from '#infra/git/changes.ts';
import {
  adoptIndex,
  controlDir,
  createOwnGitDir,
  readRecord,
  repositoryGit,
  setOwnHead,
  type Workspace,
  type WorkspaceRecord,
  workspaceGit,
  writeRecord,
} from '#infra/git/control.ts';
import { look, moveToFree, readText } from '#infra/git/files.ts';
import { readHead } from '#infra/git/head.ts';
import { withRepositoryLock } from '#infra/git/lock.ts';
import { isConnected } from '#infra/git/pointer.ts';
import { locateRepository, type Repository } from '#infra/git/repository.ts';
import { runRef } from '#infra/git/run-refs.ts';
import { commitTree, stageSafely } from '#infra/git/snapshot.ts';
import { findStranded, readTips, rememberTips } from '#infra/git/stranded.ts';

export interface WorktreeRequest {
  /** A path inside the repository. */
  repo: string;
  /** Where the worktree is to be; its parent folder is created. `<path>.control` beside it is ours too. */
  path: string;
  /** A commit. */
  base: string;
  runId: string;
}

/** What `openWorktree` found and did. `movedAside`: leftovers that it did not know, under their new names. */
export interface OpenedWorktree {
  path: string;
  base: string;
  /** The last snapshot of the workspace; the base at first. */
  snapshot: string;
  /** It was open already and is as it was left. */
  adopted: boolean;
  movedAside: string[];
}

/**
 * A worktree of the repository, detached at `base` (F1). Run again it gives the same worktree as it stands; after a
 * crash what is left is adopted when it is whole, or moved to `<path>.aside-<n>` and reported, never deleted (R043).
 * No hook and no filter runs (F6). Throws `workspace/not-a-repository`, `workspace/base-unknown`, `workspace/locked`,
 * `workspace/git-failed`, `store/disk-full`.
 */
export async function openWorktree(request: WorktreeRequest): Promise<OpenedWorktree> {
  const kept = await adoptable(request);
  if (kept !== undefined) return opened(kept, [], true);
  const repository = await locateRepository(request.repo);
  return withRepositoryLock(repository, async () => {
    const again = await adoptable(request);
    if (again !== undefined) return opened(again, [], true);
    const movedAside = await clearPath(request);
    return opened(await create(repository, request), movedAside, false);
  });
}

export interface ClosedWorktree {
  removed: boolean;
  /** The ref of a commit with work that no snapshot held. */
  left?: string;
  /** Where the folder is now, if it could not be kept as a commit. */
  movedAside?: string;
}

/**
 * Removes a worktree and what we keep beside it; nothing to do is fine. Work that no snapshot holds is first kept as
 * a commit, whose ref is told as `left` (F1); `work: 'drop'` is for checkouts of readers, which hold none.
 * Throws `workspace/locked`, `workspace/git-failed`.
 */
export async function closeWorktree({
  path,
  work = 'keep',
}: {
  path: string;
  work?: 'keep' | 'drop';
}): Promise<ClosedWorktree> {
  const record = await readRecord(path);
  if (record === undefined || (await look(record.commonDir)) === undefined) return closeUnknown(path);
  return withRepositoryLock(record, async () => {
    const kept = work === 'keep' ? await keepLeftWork({ path, record }) : {};
    await removeWhole(path);
    await repositoryGit(record, { args: ['worktree', 'remove', '--force', '--force', path], answers: [128] });
    await removeWhole(controlDir(path));
    return { removed: true, ...kept };
  });
}

/** Without a record or its repository, what is in the folder cannot be told from work. */
async function closeUnknown(path: string): Promise<ClosedWorktree> {
  await removeWhole(controlDir(path));
  return (await look(path)) === undefined ? { removed: false } : { removed: false, movedAside: await moveAside(path) };
}

function opened(workspace: Workspace, movedAside: string[], adopted: boolean): OpenedWorktree {
  const { base, snapshot } = workspace.record;
  return { path: workspace.path, base, snapshot, adopted, movedAside };
}

async function adoptable({ path, base, runId }: WorktreeRequest): Promise<Workspace | undefined> {
  const record = await readRecord(path);
  if (record?.phase !== 'open' || record.runId !== runId || record.base !== base) return undefined;
  if ((await look(path))?.isDirectory() !== true || !(await isConnected(path, record))) return undefined;
  return { path, record };
}

/** Makes room at `path` without deleting anything but what we ourselves had only begun. */
async function clearPath({ path }: WorktreeRequest): Promise<string[]> {
  const record = await readRecord(path);
  if (record?.phase === 'open') await keepCommits({ path, record });
  const moved: string[] = [];
  const there = await look(path);
  if (there !== undefined && !(there.isDirectory() && (await readdir(path)).length === 0)) {
    if (record?.phase === 'opening') await removeWhole(await moveToFree(path, `${path}.discarded-`));
    else moved.push(await moveAside(path));
  }
  await removeWhole(controlDir(path));
  return moved;
}

/** A git whose starter was killed may still be writing there for a moment; in a renamed folder it reaches no new one. */
async function removeWhole(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

async function moveAside(path: string): Promise<string> {
  const aside = await moveToFree(path, `${path}.aside-`);
  const pointer = join(aside, '.git');
  // It would name the new worktree's data as soon as git gives out the same name again.
  if ((await look(pointer))?.isFile() === true) await rename(pointer, join(aside, '.git.aside'));
  return aside;
}

async function create(repository: Repository, { path, base, runId }: WorktreeRequest): Promise<Workspace> {
  await mkdir(controlDir(path), { recursive: true });
  const opening: WorkspaceRecord = {
    version: 1,
    phase: 'opening',
    runId,
    root: repository.root,
    commonDir: repository.commonDir,
    adminDir: '',
    pointer: '',
    objectFormat: repository.objectFormat,
    base,
    snapshot: base,
    parent: base,
    tree: '',
    headText: '',
    head: base,
    headLogBytes: 0,
    stranded: [],
    nested: [],
    hasSubmodules: false,
    submodules: [],
  };
  await writeRecord(path, opening);
  await allEnded([addWorktree(repository, path, base), createOwnGitDir(path, repository)]);
  await setOwnHead(path, base);
  const pointer = (await readText(join(path, '.git'))) ?? '';
  const adminDir = pointer.replace(/^gitdir: /, '').trim();
  const workspace: Workspace = { path, record: { ...opening, adminDir, pointer } };
  const [tree, tips] = await allEnded([fill(workspace), readTips(repository.commonDir), keepBase(workspace)]);
  const head = await readHead(workspace);
  const hasSubmodules = (await look(join(path, '.gitmodules'))) !== undefined;
  const submodules = hasSubmodules ? await listSubmodules(workspace, base) : [];
  await rememberTips(path, tips);
  const record: WorkspaceRecord = {
    ...workspace.record,
    phase: 'open',
    tree,
    headText: head.text,
    head: head.commit,
    headLogBytes: head.logBytes,
    hasSubmodules,
    submodules,
  };
  await writeRecord(path, record);
  return { path, record };
}

async function addWorktree(repository: Repository, path: string, base: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Forced: a registration whose folder is gone is a crash's leftover.
  const added = await repositoryGit(repository, {
    args: ['worktree', 'add', '--force', '--force', '--no-checkout', '--detach', path, base],
    answers: [128],
  });
  if (added.exitCode === 0) return;
  if (/invalid reference|not a valid|bad object|not a commit/i.test(added.stderr)) {
    throw new Fault(
      'workspace/base-unknown',
      `The base ${base} is no commit of ${repository.root}. Name one that exists, or fetch it first.`,
    );
  }
  throw new Fault('workspace/git-failed', `No worktree could be added at ${path}: ${added.stderr.trim().slice(-500)}`);
}

/** Checks the base out with our configuration into the worktree's own index, and gives its tree. */
async function fill(workspace: Workspace): Promise<string> {
  const { record } = workspace;
  const [tree] = await allEnded([
    repositoryGit(record, { args: ['rev-parse', `${record.base}^{tree}`] }),
    workspaceGit(workspace, {
      args: ['read-tree', '--reset', '-u', record.base],
      env: { GIT_INDEX_FILE: join(record.adminDir, 'index') },
      limitMs: 900_000,
    }),
  ]);
  await adoptIndex(workspace);
  return tree.stdout.trim();
}

async function keepBase({ record }: Workspace): Promise<void> {
  await repositoryGit(record, { args: ['update-ref', runRef(record.runId, 'base'), record.base] });
}

/** Commits made by hand must outlive the worktree's registration, whose log is all that holds some of them. */
async function keepCommits(workspace: Workspace): Promise<void> {
  const { record } = workspace;
  if ((await look(record.commonDir)) === undefined) return;
  const { tips } = await findStranded(workspace, await readHead(workspace), await readTips(record.commonDir));
  if (tips.length === 0) return;
  const input = tips.map((commit) => `update ${runRef(record.runId, 'stranded', commit)} ${commit}\n`).join('');
  await repositoryGit(record, { args: ['update-ref', '--stdin'], input });
}

/** Keeps what no snapshot holds: as a commit, or, when git cannot read it, as the folder itself under another name. */
export async function keepLeftWork(workspace: Workspace): Promise<Omit<ClosedWorktree, 'removed'>> {
  const { path, record } = workspace;
  if (record.phase !== 'open' || (await look(path)) === undefined) return {};
  try {
    await keepCommits(workspace);
    const { changed } = await stageSafely(workspace, []);
    if (changed.length === 0) return {};
    const tree = await writeTree(workspace);
    if (tree === record.tree) return {};
    const commit = await commitTree(
      workspace,
      tree,
      `setpoint: left in the workspace when it was closed\n\nRun: ${record.runId}\n`,
    );
    const left = runRef(record.runId, 'left', commit);
    await repositoryGit(record, { args: ['update-ref', left, commit] });
    return { left };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { movedAside: await moveAside(path) };
  }
}
