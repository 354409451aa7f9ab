import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { usableAgents } from '#cli/commands/agents.ts';
import type { CliContext } from '#cli/context.ts';
import { type ManifestName, manifestNames, type RepositoryFacts } from '#cli/init/repository-facts.ts';

const gitLimitMs = 10_000;
const mostOutput = 64 * 1024 * 1024;

/**
 * Reads what suggestions are made from, in the folder where the command was typed; it changes nothing. `agents: false` asks for
 * none, which takes most of the time.
 */
export async function readFacts(context: CliContext, options = { agents: true }): Promise<RepositoryFacts> {
  const notes: string[] = [];
  const [tracked, agents, defaultBranch] = await Promise.all([
    trackedFiles(context.cwd),
    options.agents ? usableAgents(context, (note) => notes.push(note)) : [],
    readDefaultBranch(context.cwd),
  ]);
  if (tracked === undefined) {
    notes.push('This folder is in no git repository; a run works on a commit: `git init`, add and commit first.');
  }
  const files = tracked ?? (await filesAtTop(context.cwd));
  const branch = defaultBranch === undefined ? {} : { defaultBranch };
  const manifests = await readManifests(context.cwd, files);
  return { files, manifests, agents: agents.map(({ name }) => name), notes, ...branch };
}

async function trackedFiles(cwd: string): Promise<string[] | undefined> {
  const listed = await git(cwd, ['ls-files', '-z']);
  return listed?.split('\0').filter((path) => path !== '');
}

async function filesAtTop(cwd: string): Promise<string[]> {
  const entries = await readdir(cwd, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function readManifests(cwd: string, files: readonly string[]): Promise<RepositoryFacts['manifests']> {
  const there = manifestNames.filter((name) => files.includes(name));
  const read = await Promise.all(there.map((name) => readManifest(cwd, name)));
  return Object.fromEntries(read.flat());
}

/** A tracked file may have been deleted since. */
async function readManifest(cwd: string, name: ManifestName): Promise<[ManifestName, string][]> {
  try {
    return [[name, await readFile(join(cwd, name), 'utf8')]];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** What the remote calls its default branch, else `main` or `master` when there is one of that name. */
async function readDefaultBranch(cwd: string): Promise<RepositoryFacts['defaultBranch']> {
  const remote = await git(cwd, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  const name = remote?.trim().replace(/^origin\//, '') ?? '';
  if (name !== '') return { name, because: 'the default branch of origin' };
  for (const usual of ['main', 'master']) {
    const found = await git(cwd, ['rev-parse', '--verify', '--quiet', `refs/heads/${usual}`]);
    if (found !== undefined) return { name: usual, because: 'the branch of that name' };
  }
  return undefined;
}

/** Undefined when git says no, or is not there. */
async function git(cwd: string, argv: readonly string[]): Promise<string | undefined> {
  const options = { cwd, timeout: gitLimitMs, maxBuffer: mostOutput };
  const done = await promisify(execFile)('git', [...argv], options).catch((error: NodeJS.ErrnoException) => {
    if (typeof error.code === 'number' || error.code === 'ENOENT') return undefined;
    throw error;
  });
  return done?.stdout;
}
