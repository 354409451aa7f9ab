import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '#core/contract/fault.ts';
import { type GitCall, type GitOutput, git } from '#infra/git/git.ts';
import { readText, replaceText } from '#infra/git/files.ts';
import { at, type Repository } from '#infra/git/repository.ts';

/**
 * What we know of a workspace, beside it and out of the agent's reach: `<path>.control/`. It holds a git folder of
 * ours (configuration, HEAD = last snapshot, index), so that no file which the agent can write steers our git (F6).
 */
export const WorkspaceRecord = z.object({
  version: z.literal(1),
  /** `opening`: the checkout was never handed out, so nothing but our own files can be in it. */
  phase: z.enum(['opening', 'open']),
  runId: z.string(),
  root: z.string(),
  commonDir: z.string(),
  /** The folder of the repository in which git keeps this worktree's HEAD and index, and the `.git` file that names it. */
  adminDir: z.string(),
  pointer: z.string(),
  objectFormat: z.string(),
  base: z.string(),
  /** The last snapshot; the base at first. */
  snapshot: z.string(),
  parent: z.string(),
  tree: z.string(),
  /** The text of the worktree's HEAD file, and the commit it stood for, at the last snapshot. */
  headText: z.string(),
  head: z.string(),
  headLogBytes: z.int(),
  /** Commits known as stranded, so that each is reported once. */
  stranded: z.array(z.string()),
  nested: z.array(z.string()),
  hasSubmodules: z.boolean(),
  submodules: z.array(z.object({ path: z.string(), commit: z.string() })),
});
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

/** A workspace with its record. `path` is the worktree. */
export interface Workspace {
  path: string;
  record: WorkspaceRecord;
}

export function controlDir(path: string): string {
  return `${path}.control`;
}

export function ownGitDir(path: string): string {
  return join(controlDir(path), 'git');
}

export function ownIndex(path: string): string {
  return join(ownGitDir(path), 'index');
}

/** The record beside a workspace, or undefined when there is none (or none that can be read). */
export async function readRecord(path: string): Promise<WorkspaceRecord | undefined> {
  const text = await readText(join(controlDir(path), 'workspace.json'));
  if (text === undefined) return undefined;
  try {
    return WorkspaceRecord.parse(JSON.parse(text));
  } catch (error) {
    // A torn or foreign record is as good as none: the workspace is moved aside and built anew.
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

export async function writeRecord(path: string, record: WorkspaceRecord): Promise<void> {
  await replaceText(join(controlDir(path), 'workspace.json'), `${JSON.stringify(record)}\n`);
}

/** The workspace at `path`. Throws `workspace/missing` when none is open there. */
export async function openedWorkspace(path: string): Promise<Workspace> {
  const record = await readRecord(path);
  if (record?.phase === 'open') return { path, record };
  throw new Fault(
    'workspace/missing',
    `No workspace is open at ${path}. Open it again; its last snapshot is kept in the repository.`,
  );
}

/** Runs git on the workspace's files with our git folder, our index and the repository's objects. */
export function workspaceGit(workspace: Workspace, call: Omit<GitCall, 'cwd'>): Promise<GitOutput> {
  const { path, record } = workspace;
  return git({
    ...call,
    args: [`--git-dir=${ownGitDir(path)}`, `--work-tree=${path}`, ...call.args],
    cwd: path,
    env: { GIT_OBJECT_DIRECTORY: join(record.commonDir, 'objects'), GIT_INDEX_FILE: ownIndex(path), ...call.env },
  });
}

/** Runs git on the repository's objects and refs only. */
export function repositoryGit(
  repository: Pick<Repository, 'commonDir'>,
  call: Omit<GitCall, 'cwd'>,
): Promise<GitOutput> {
  return git({ ...call, args: at(repository, ...call.args), cwd: repository.commonDir });
}

/** Creates our git folder for a workspace, with what the repository says about file systems and line ends, and no more. */
export async function createOwnGitDir(path: string, repository: Repository): Promise<void> {
  const own = ownGitDir(path);
  await rm(own, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  await Promise.all(['refs', 'objects', 'info'].map((folder) => mkdir(join(own, folder), { recursive: true })));
  const settings = await fileSettings(repository);
  const sha256 =
    repository.objectFormat === 'sha1' ? '' : `[extensions]\n\tobjectformat = ${repository.objectFormat}\n`;
  await writeFile(join(own, 'config'), `${coreSettings(repository)}${settings}${sha256}`);
  await copyInfo(repository, own);
}

export async function ownHead(path: string): Promise<string | undefined> {
  return (await readText(join(ownGitDir(path), 'HEAD')))?.trim();
}

export async function setOwnHead(path: string, commit: string): Promise<void> {
  await replaceText(join(ownGitDir(path), 'HEAD'), `${commit}\n`);
}

/** A copy of the worktree's own index knows each file's times already, so that our first look is quick. */
export async function adoptIndex(workspace: Workspace): Promise<void> {
  await copyFile(join(workspace.record.adminDir, 'index'), ownIndex(workspace.path));
}

function coreSettings(repository: Repository): string {
  const version = repository.objectFormat === 'sha1' ? 0 : 1;
  const fixed = [
    'bare = false',
    'hooksPath = /dev/null',
    'fsmonitor = false',
    'excludesFile = /dev/null',
    'attributesFile = /dev/null',
    'logAllRefUpdates = false',
    'safecrlf = false',
  ];
  return `[core]\n\trepositoryformatversion = ${version}\n${fixed.map((line) => `\t${line}\n`).join('')}`;
}

/** Only settings that describe the disk or line ends: none of them can name a program. */
async function fileSettings(repository: Repository): Promise<string> {
  const listed = await repositoryGit(repository, {
    args: [
      'config',
      '--local',
      '--get-regexp',
      '^core\\.(filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol)$',
    ],
    answers: [1],
  });
  const lines = listed.stdout.split('\n').filter((line) => /^core\.\w+ \w+$/.test(line));
  return lines.map((line) => `\t${line.replace('core.', '').replace(' ', ' = ')}\n`).join('');
}

async function copyInfo(repository: Repository, own: string): Promise<void> {
  for (const name of ['exclude', 'attributes']) {
    const text = await readText(join(repository.commonDir, 'info', name));
    if (text !== undefined) await writeFile(join(own, 'info', name), text);
  }
}

/** Runs `work` while no attribute of any file counts for our git: content goes in and out as it is. */
export async function withoutConversions<T>(workspace: Workspace, work: () => Promise<T>): Promise<T> {
  const file = join(ownGitDir(workspace.path), 'info', 'attributes');
  const before = await readText(file);
  await replaceText(file, '* -text !filter !ident !working-tree-encoding\n');
  try {
    return await work();
  } finally {
    if (before === undefined) await rm(file);
    else await replaceText(file, before);
  }
}
