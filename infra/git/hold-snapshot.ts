import { Fault } from '#core/contract/fault.ts';
import { repositoryGit } from '#infra/git/control.ts';
import { locateRepository, type Repository } from '#infra/git/repository.ts';
import { runRef } from '#infra/git/run-refs.ts';

/**
 * Whether a commit is held by any ref of the repository, so that git never lets it go; undefined when there is no
 * repository at `repo` on this machine. Throws `workspace/git-failed`.
 */
export async function isHeld(repo: string, commit: string): Promise<boolean | undefined> {
  const repository = await locateRepository(repo).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'workspace/not-a-repository') return undefined;
    throw error;
  });
  if (repository === undefined) return undefined;
  // 129: git does not know the commit at all.
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`];
  const found = await repositoryGit(repository, { args, answers: [128, 129] });
  return found.exitCode === 0 && found.stdout.trim() !== '';
}

/**
 * Holds the snapshot that a forked run goes on from by a ref of its own, so that it outlives a clean-up after the first
 * run (E8). Safe to repeat. Throws `workspace/snapshot-gone`, `workspace/git-failed`.
 */
export async function holdSnapshot(repository: Repository, runId: string, commit: string): Promise<void> {
  const there = await repositoryGit(repository, { args: ['cat-file', '-e', `${commit}^{tree}`], answers: [1, 128] });
  if (there.exitCode !== 0) {
    throw new Fault(
      'workspace/snapshot-gone',
      `The snapshot ${commit} is not in ${repository.root} any more: it was cleaned up. Fork the run at another pass.`,
    );
  }
  await repositoryGit(repository, { args: ['update-ref', runRef(runId, 'forked'), commit] });
}
