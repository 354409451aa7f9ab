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
