import picomatch from 'picomatch';
import type { PathChange } from '#core/workspace/snapshot.ts';
import { repositoryGit } from '#infra/git/control.ts';
import { locateRepository, type Repository } from '#infra/git/repository.ts';
import { parseNameStatus } from '#infra/git/rollback.ts';

export interface Comparison {
  /** A path inside the repository. */
  repo: string;
  base: string;
  commit: string;
}

/** Renames cost time that grows with the square of the files; above so many git tells a removal and an addition. */
const renameLimit = 400;

/**
 * The difference of two commits as text, cut after `maxBytes` (default 256 KiB) at a line's end. Runs no external diff
 * and no text conversion (F6). Throws `workspace/not-a-repository`, `workspace/git-failed`.
 */
export async function diff(
  comparison: Comparison & { maxBytes?: number },
): Promise<{ text: string; truncated: boolean }> {
  const repository = await locateRepository(comparison.repo);
  const shown = await repositoryGit(repository, {
    args: [
      'diff-tree',
      '-p',
      '-r',
      `-l${renameLimit}`,
      '-M',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      comparison.base,
      comparison.commit,
      '--',
    ],
    maxBytes: comparison.maxBytes ?? 262_144,
  });
  const text = shown.truncated ? shown.stdout.slice(0, shown.stdout.lastIndexOf('\n') + 1) : shown.stdout;
  return { text, truncated: shown.truncated };
}

/** Every path that differs between two commits; a rename is a removal and an addition. */
export async function changedPaths(comparison: Comparison): Promise<PathChange[]> {
  return compare(await locateRepository(comparison.repo), comparison.base, comparison.commit);
}

/** The changed paths that one of the globs protects (B4). `*` matches names that begin with a dot too. */
export async function protectedChanges(comparison: Comparison & { globs: readonly string[] }): Promise<PathChange[]> {
  if (comparison.globs.length === 0) return [];
  const isProtected = picomatch(
    comparison.globs.map((glob) => (glob.endsWith('/') ? `${glob}**` : glob)),
    { dot: true },
  );
  return (await changedPaths(comparison)).filter(({ path }) => isProtected(path));
}

async function compare(repository: Repository, base: string, commit: string): Promise<PathChange[]> {
  const listed = await repositoryGit(repository, {
    args: ['diff-tree', '-r', '-z', '--no-renames', '--name-status', base, commit, '--'],
    text: 'paths',
  });
  return parseNameStatus(listed.stdout);
}
