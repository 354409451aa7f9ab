import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { git } from '#infra/git/git.ts';

/** A throw-away repository with one commit, for demonstrations and tests. */
export interface ScratchRepository {
  /** Its parent: everything of this scratch lies below. */
  folder: string;
  root: string;
  base: string;
  /** Runs the person's git in the repository (or `cwd`), giving stdout without its last line end. */
  git: (args: readonly string[], cwd?: string) => Promise<string>;
  remove: () => Promise<void>;
}

/** Creates one in the system's folder for temporary files, with `files` (path to text) in its first commit. */
export async function createScratchRepository(
  files: Readonly<Record<string, string>> = { 'README.md': 'scratch\n' },
): Promise<ScratchRepository> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'setpoint-scratch-')));
  const root = join(folder, 'repo');
  const person = {
    GIT_AUTHOR_NAME: 'Person',
    GIT_AUTHOR_EMAIL: 'person@example.org',
    GIT_COMMITTER_NAME: 'Person',
    GIT_COMMITTER_EMAIL: 'person@example.org',
  };
  const run = async (args: readonly string[], cwd = root): Promise<string> =>
    (await git({ args, cwd, env: person })).stdout.replace(/\n$/, '');
  await mkdir(root);
  await run(['init', '-q', '-b', 'main']);
  await writeFiles(root, files);
  await run(['add', '-A']);
  await run(['commit', '-q', '--allow-empty', '-m', 'first']);
  return {
    folder,
    root,
    base: await run(['rev-parse', 'HEAD']),
    git: run,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Writes files below `root`, making their folders. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
