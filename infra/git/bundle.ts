import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import { repositoryGit } from '#infra/git/control.ts';
import { locateRepository } from '#infra/git/repository.ts';
import { runRef } from '#infra/git/run-refs.ts';

export interface BundleRequest {
  /** A path inside the repository. */
  repo: string;
  runId: string;
  /** The bundle's file. */
  file: string;
}

/**
 * Writes everything that the refs of a run hold, its snapshots and stranded commits, to one file for the snapshot
 * store (F2), without what the reader `has` already: the base, and the last bundled snapshot. The file appears whole or
 * not at all. Throws `workspace/snapshot-failed`, `workspace/not-a-repository`, `store/disk-full`.
 */
export async function writeBundle({
  repo,
  runId,
  file,
  has,
}: BundleRequest & { has: readonly string[] }): Promise<{ kind: 'written'; bytes: number } | { kind: 'nothing_new' }> {
  const repository = await locateRepository(repo);
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.draft`;
  const args = ['bundle', 'create', '-q', draft, `--glob=${runRef(runId)}/*`, ...has.map((commit) => `^${commit}`)];
  const written = await repositoryGit(repository, { args, answers: [128] });
  if (/refusing to create empty bundle/i.test(written.stderr)) return { kind: 'nothing_new' };
  if (written.exitCode !== 0)
    throw new Fault(
      'workspace/snapshot-failed',
      `The snapshots of ${runId} could not be bundled: ${written.stderr.trim().slice(-500)}`,
    );
  await rename(draft, file);
  return { kind: 'written', bytes: (await stat(file)).size };
}

/**
 * Brings a bundle's snapshots into a repository that has the run's base, under the same refs; from there
 * `restoreWorktree` rebuilds the exact tree on any host (F3). Refs of other runs in the file are refused.
 * Throws `workspace/base-unknown` when the repository lacks what the bundle stands on.
 */
export async function readBundle({ repo, runId, file }: BundleRequest): Promise<{ refs: string[] }> {
  const repository = await locateRepository(repo);
  const read = await repositoryGit(repository, { args: ['bundle', 'unbundle', file], answers: [1, 128] });
  if (read.exitCode !== 0) {
    const lacks = /prerequisite/i.test(read.stderr);
    const said = read.stderr.trim().slice(-500);
    throw lacks
      ? new Fault(
          'workspace/base-unknown',
          `${repository.root} lacks commits that the snapshots of ${runId} stand on. Fetch the base first. (${said})`,
        )
      : new Fault('workspace/git-failed', `The bundle ${file} could not be read: ${said}`);
  }
  const lines = read.stdout.split('\n').filter((line) => line.split(' ')[1]?.startsWith(`${runRef(runId)}/`) === true);
  const input = lines.map((line) => `update ${line.split(' ')[1]} ${line.split(' ')[0]}\n`).join('');
  await repositoryGit(repository, { args: ['update-ref', '--stdin'], input });
  return { refs: lines.map((line) => line.split(' ')[1] ?? '') };
}
