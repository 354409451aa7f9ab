import { Fault } from '#core/contract/fault.ts';
import { git, gitLine } from '#infra/git/git.ts';
import { at, locateRepository, type Repository } from '#infra/git/repository.ts';

/** The tree of a commit. Throws `workspace/git-failed` when the repository does not have it. */
export function treeOf(repository: Pick<Repository, 'commonDir'>, commit: string): Promise<string> {
  return gitLine({ args: at(repository, 'rev-parse', '--verify', `${commit}^{tree}`), cwd: repository.commonDir });
}

/** A file's text as a commit has it. Throws `schema/invalid` when it has none at that path. */
export async function readFileAt({
  repo,
  commit,
  path,
}: {
  repo: string;
  commit: string;
  path: string;
}): Promise<string> {
  const repository = await locateRepository(repo);
  const spec = `${commit}:${path.replace(/^\.\//, '')}`;
  const shown = await git({
    args: at(repository, 'cat-file', 'blob', spec),
    cwd: repository.commonDir,
    answers: [128],
  });
  if (shown.exitCode === 0) return shown.stdout;
  throw new Fault('schema/invalid', `The base commit has no file ${path}. Commit it, or correct the path.`);
}

/**
 * A file's bytes as a commit has them, at most `maxBytes` of them; undefined when the commit has no file at that path. Of a
 * link its target's name. Throws `workspace/git-failed` when the repository does not have the commit.
 */
export async function bytesAt({
  repo,
  commit,
  path,
  maxBytes,
}: {
  repo: string;
  commit: string;
  path: string;
  maxBytes: number;
}): Promise<{ bytes: Uint8Array; truncated: boolean } | undefined> {
  const repository = await locateRepository(repo);
  // What git cannot find in a commit that is there is no file.
  await treeOf(repository, commit);
  const shown = await git({
    args: at(repository, 'cat-file', 'blob', `${commit}:${path.replace(/^\.\//, '')}`),
    cwd: repository.commonDir,
    answers: [128],
    text: 'paths',
    maxBytes,
  });
  if (shown.exitCode === 128) return undefined;
  return { bytes: Buffer.from(shown.stdout, 'latin1'), truncated: shown.truncated };
}

/** Whether a commit has a file or folder at a path. Throws `workspace/git-failed` when the repository does not have it. */
export async function hasPath({
  repo,
  commit,
  path,
}: {
  repo: string;
  commit: string;
  path: string;
}): Promise<boolean> {
  const repository = await locateRepository(repo);
  await treeOf(repository, commit);
  const shown = await git({
    args: at(repository, 'cat-file', '-e', `${commit}:${path.replace(/\/+$/, '')}`),
    cwd: repository.commonDir,
    answers: [1, 128],
  });
  return shown.exitCode === 0;
}
