import { Fault } from '#core/contract/fault.ts';
import type { DeliveryResult } from '#core/workspace/delivery-result.ts';
import { unreachable } from '#core/exhaustive.ts';
import { repositoryGit } from '#infra/git/control.ts';
import { withRepositoryLock } from '#infra/git/lock.ts';
import { locateRepository, type Repository } from '#infra/git/repository.ts';
import { runRef } from '#infra/git/run-refs.ts';

/** `at` is part of the commit, so it must be the same when the same delivery is tried again: take it from the run's events. */
export interface Author {
  name: string;
  email: string;
  /** ISO 8601 with a zone. */
  at: string;
}

export interface CommitDelivery {
  /** A path inside the repository. */
  repo: string;
  runId: string;
  /** The commit on which the delivered one stands. */
  base: string;
  /** The tree that passed every check. */
  snapshotTree: string;
  message: string;
  author: Author;
}

export interface BranchDelivery extends CommitDelivery {
  /** `setpoint/<runId>` unless the plan names another. */
  branch: string;
}

export type Delivery = { mode: 'none' } | ({ mode: 'commit' } & CommitDelivery) | ({ mode: 'branch' } & BranchDelivery);

/** Delivers by mode (G1). Results and faults as of `deliverCommit` and `deliverBranch`. */
export async function deliver(delivery: Delivery): Promise<DeliveryResult> {
  switch (delivery.mode) {
    case 'none':
      return { kind: 'none' };
    case 'commit':
      return deliverCommit(delivery);
    case 'branch':
      return deliverBranch(delivery);
    default:
      return unreachable(delivery);
  }
}

/**
 * One commit with exactly the judged tree on the base, kept at `refs/setpoint/<runId>/delivered` (G2). Run again it is
 * the same commit; no hook runs, no signature or author of the agent's is in it. `nothing_to_deliver` when the tree is
 * the base's. Throws `delivery/tree-differs`, `workspace/locked`, `workspace/git-failed`, `workspace/not-a-repository`.
 */
export async function deliverCommit(delivery: CommitDelivery): Promise<DeliveryResult> {
  const repository = await locateRepository(delivery.repo);
  return withRepositoryLock(repository, () => commitOnce(repository, delivery));
}

/**
 * As `deliverCommit`, and the branch at that commit. A branch that is there at the same commit is adopted; at another
 * one it is a fault, never moved. Throws `delivery/branch-exists` and what `deliverCommit` throws.
 */
export async function deliverBranch(delivery: BranchDelivery): Promise<DeliveryResult> {
  const repository = await locateRepository(delivery.repo);
  return withRepositoryLock(repository, async () => {
    const made = await commitOnce(repository, delivery);
    if (made.kind !== 'delivered') return made;
    const adopted = await createBranch(repository, delivery.branch, made.commit);
    const ref = `refs/heads/${delivery.branch}`;
    await verifyTree(repository, ref, delivery.snapshotTree);
    return { ...made, mode: 'branch', ref, branch: delivery.branch, adopted };
  });
}

async function commitOnce(repository: Repository, delivery: CommitDelivery): Promise<DeliveryResult> {
  const { runId, base, snapshotTree } = delivery;
  if ((await resolve(repository, `${base}^{tree}`)) === snapshotTree) return { kind: 'nothing_to_deliver', base };
  const ref = runRef(runId, 'delivered');
  const there = await resolve(repository, `${ref}^{commit}`);
  const adopted = there !== undefined && (await isDelivery(repository, there, delivery));
  const commit = adopted ? there : await commitTree(repository, delivery);
  if (!adopted) await repositoryGit(repository, { args: ['update-ref', ref, commit, there ?? ''] });
  await verifyTree(repository, ref, snapshotTree);
  return { kind: 'delivered', mode: 'commit', commit, tree: snapshotTree, ref, adopted };
}

async function isDelivery(
  repository: Repository,
  commit: string,
  { base, snapshotTree }: CommitDelivery,
): Promise<boolean> {
  const parents = await repositoryGit(repository, { args: ['rev-parse', `${commit}^{tree}`, `${commit}^@`] });
  return parents.stdout.trim() === `${snapshotTree}\n${base}`;
}

async function commitTree(
  repository: Repository,
  { base, snapshotTree, message, author }: CommitDelivery,
): Promise<string> {
  const who = { NAME: author.name, EMAIL: author.email, DATE: author.at };
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value])),
  );
  const text = message.endsWith('\n') ? message : `${message}\n`;
  const made = await repositoryGit(repository, {
    args: ['commit-tree', snapshotTree, '-p', base, '-F', '-'],
    env,
    input: Buffer.from(text),
  });
  return made.stdout.trim();
}

/** Whether the branch was there already at this very commit. */
async function createBranch(repository: Repository, branch: string, commit: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const zero = '0'.repeat(commit.length);
  const created = await repositoryGit(repository, { args: ['update-ref', ref, commit, zero], answers: [128] });
  if (created.exitCode === 0) return false;
  const there = await resolve(repository, `${ref}^{commit}`);
  if (there === commit) return true;
  const reason =
    there === undefined
      ? `cannot be created (${created.stderr.trim().slice(-300)})`
      : `is at ${there} already, not at the verified commit ${commit}`;
  throw new Fault(
    'delivery/branch-exists',
    `The branch ${branch} of ${repository.root} ${reason}. Rename or delete what is in its place, or deliver to another branch; the verified commit is kept.`,
  );
}

async function verifyTree(repository: Repository, ref: string, tree: string): Promise<void> {
  const there = await resolve(repository, `${ref}^{tree}`);
  if (there === tree) return;
  throw new Fault(
    'delivery/tree-differs',
    `${ref} holds the tree ${there ?? 'of nothing'}, not the verified ${tree}. Something else moved it; nothing more is delivered.`,
  );
}

async function resolve(repository: Repository, name: string): Promise<string | undefined> {
  const found = await repositoryGit(repository, {
    args: ['rev-parse', '--verify', '-q', '--end-of-options', name],
    answers: [1, 128],
  });
  return found.exitCode === 0 ? found.stdout.trim() : undefined;
}
