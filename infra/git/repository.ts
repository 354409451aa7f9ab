import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import { git, gitLine } from '#infra/git/git.ts';
import { hasCode, isAbsent } from '#infra/git/files.ts';

/** Where a repository is. `root` is the checkout (of a bare repository: the repository itself). All paths are absolute. */
export interface Repository {
  root: string;
  gitDir: string;
  /** What all worktrees share: objects, refs, configuration. */
  commonDir: string;
  objectFormat: string;
  bare: boolean;
}

/** A repository and the facts a run is started from. */
export interface InspectedRepository extends Repository {
  /** The commit of HEAD. */
  head: string;
  /** The branch of HEAD; absent when it is detached. */
  branch?: string;
  defaultBranch?: string;
  /** Paths that differ from HEAD, untracked ones included and ignored ones not. Whether that matters is the caller's to say. */
  dirty: string[];
}

/**
 * Finds the repository that `path` lies in. One git call.
 * Throws `workspace/not-a-repository`.
 */
export async function locateRepository(path: string): Promise<Repository> {
  const start = await existing(path);
  const found = await git({
    // Nothing of its configuration can run (F6), so a repository of another account is no danger to us.
    args: [
      '-c',
      'safe.directory=*',
      'rev-parse',
      '--path-format=absolute',
      '--absolute-git-dir',
      '--git-common-dir',
      '--show-object-format',
      '--is-bare-repository',
      '--show-toplevel',
    ],
    cwd: start,
    answers: [128],
  });
  const [gitDir, commonDir, objectFormat, bare, top] = found.stdout.split('\n');
  if (gitDir === undefined || commonDir === undefined || objectFormat === undefined || bare === undefined)
    throw notARepository(path, found.stderr);
  if (bare === 'true') return { root: gitDir, gitDir, commonDir, objectFormat, bare: true };
  if (top === undefined || top === '') throw notARepository(path, found.stderr);
  return { root: top, gitDir, commonDir, objectFormat, bare: false };
}

/**
 * The facts of a repository before a run: HEAD, branches, uncommitted work. Runs no filter, hook or monitor of its
 * configuration (F6). Throws `workspace/not-a-repository`, and `workspace/base-unknown` for one without a commit.
 */
export async function inspectRepository(path: string): Promise<InspectedRepository> {
  const repository = await locateRepository(path);
  const [head, branch, defaultBranch, dirty] = await Promise.all([
    headCommit(repository),
    git({ args: at(repository, 'symbolic-ref', '-q', '--short', 'HEAD'), cwd: repository.commonDir, answers: [1] }),
    findDefaultBranch(repository),
    dirtyPaths(repository),
  ]);
  const name = branch.stdout.trim();
  return {
    ...repository,
    head,
    ...(name === '' ? {} : { branch: name }),
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    dirty,
  };
}

/**
 * The commit that a name stands for: a branch, a tag, a commit, or a branch that only `origin` has.
 * Throws `workspace/base-unknown`.
 */
export async function resolveBase(repository: Repository, name: string): Promise<string> {
  for (const candidate of [name, `refs/remotes/origin/${name}`]) {
    const found = await git({
      args: at(repository, 'rev-parse', '--verify', '-q', '--end-of-options', `${candidate}^{commit}`),
      cwd: repository.commonDir,
      answers: [1, 128],
    });
    if (found.exitCode === 0) return found.stdout.trim();
  }
  throw new Fault(
    'workspace/base-unknown',
    `The base "${name}" is no branch, tag or commit of ${repository.root}. Name one that exists (\`git branch -a\` lists them), or fetch it first.`,
  );
}

/** Arguments for a call that reads or writes only objects and refs of the repository. */
export function at(repository: Pick<Repository, 'commonDir'>, ...args: readonly string[]): string[] {
  return [`--git-dir=${repository.commonDir}`, ...args];
}

async function existing(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error) && !hasCode(error, 'ELOOP')) throw error;
    throw new Fault('workspace/not-a-repository', `${path} does not exist. Name a folder inside a git repository.`, {
      cause: error,
    });
  }
}

function notARepository(path: string, said: string): Fault {
  const remedy = 'Run `git init` there and make a first commit, or name a folder inside a repository.';
  const reason = said.trim().split('\n')[0] ?? '';
  return new Fault(
    'workspace/not-a-repository',
    `${path} is not inside a git repository with a checkout (${reason}). ${remedy}`,
  );
}

async function headCommit(repository: Repository): Promise<string> {
  const found = await git({
    args: [`--git-dir=${repository.gitDir}`, 'rev-parse', '--verify', '-q', 'HEAD^{commit}'],
    cwd: repository.root,
    answers: [1, 128],
  });
  if (found.exitCode === 0) return found.stdout.trim();
  throw new Fault(
    'workspace/base-unknown',
    `${repository.root} has no commit on its current branch, so there is no base to work from. Make a first commit.`,
  );
}

async function findDefaultBranch(repository: Repository): Promise<string | undefined> {
  const listed = await gitLine({
    args: at(
      repository,
      'for-each-ref',
      '--format=%(refname) %(symref)',
      'refs/remotes/origin/HEAD',
      'refs/heads/main',
      'refs/heads/master',
    ),
    cwd: repository.commonDir,
  });
  const lines = listed.split('\n');
  const origin = lines.find((line) => line.startsWith('refs/remotes/origin/HEAD '))?.split(' ')[1];
  if (origin !== undefined && origin !== '') return origin.replace('refs/remotes/origin/', '');
  return ['main', 'master'].find((name) => lines.some((line) => line.startsWith(`refs/heads/${name} `)));
}

async function dirtyPaths(repository: Repository): Promise<string[]> {
  if (repository.bare) return [];
  const call = [`--git-dir=${repository.gitDir}`, `--work-tree=${repository.root}`];
  const status = await git({
    args: [
      ...call,
      'status',
      '--porcelain',
      '-z',
      '--no-renames',
      '--untracked-files=normal',
      '--ignore-submodules=all',
    ],
    cwd: repository.root,
    env: { ...(await withoutFilters(repository)), GIT_OPTIONAL_LOCKS: '0' },
  });
  return status.stdout.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]));
}

/** Configuration, as environment, that empties every filter the repository names: `status` would run them. */
async function withoutFilters(repository: Repository): Promise<Record<string, string>> {
  const names = await git({
    args: at(
      repository,
      'config',
      '--name-only',
      '-z',
      '--get-regexp',
      '^filter\\..*\\.(clean|smudge|process|required)$',
    ),
    cwd: repository.commonDir,
    answers: [1],
  });
  const keys = names.stdout.split('\0').filter((name) => name !== '');
  const settings = keys.flatMap((key, n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, key.endsWith('.required') ? 'false' : ''],
  ]);
  return Object.fromEntries([['GIT_CONFIG_COUNT', String(keys.length)], ...settings]) as Record<string, string>;
}

/** Where our own files of a repository are: locks. */
export function houseDir(repository: Pick<Repository, 'commonDir'>): string {
  return join(repository.commonDir, 'setpoint');
}
