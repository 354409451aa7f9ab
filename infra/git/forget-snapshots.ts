import { Fault } from '#core/contract/fault.ts';
import { repositoryGit } from '#infra/git/control.ts';
import { locateRepository, type Repository } from '#infra/git/repository.ts';
import { isKeptRef, runRef } from '#infra/git/run-refs.ts';

/** Refs of a run: those of its snapshots, and those that stay (a delivery, commits by hand, work kept from a worktree). */
export interface RunRefs {
  snapshots: string[];
  kept: string[];
}

/** A repository that is gone has none. Throws `workspace/git-failed`. */
export async function runRefsOf(repo: string, runId: string): Promise<RunRefs> {
  const repository = await locatedOrGone(repo);
  if (repository === undefined) return { snapshots: [], kept: [] };
  const listed = await repositoryGit(repository, { args: ['for-each-ref', '--format=%(refname)', runRef(runId)] });
  const refs = listed.stdout.split('\n').filter((ref) => ref !== '');
  return {
    snapshots: refs.filter((ref) => !isKeptRef(runId, ref)),
    kept: refs.filter((ref) => isKeptRef(runId, ref)),
  };
}

/** Removes refs, all or none; git itself lets their commits go later. Throws `workspace/git-failed`. */
export async function forgetRefs(repo: string, refs: readonly string[]): Promise<void> {
  const repository = await locatedOrGone(repo);
  if (repository === undefined || refs.length === 0) return;
  await repositoryGit(repository, {
    args: ['update-ref', '--stdin'],
    input: refs.map((ref) => `delete ${ref}\n`).join(''),
  });
}

async function locatedOrGone(repo: string): Promise<Repository | undefined> {
  return locateRepository(repo).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'workspace/not-a-repository') return undefined;
    throw error;
  });
}
