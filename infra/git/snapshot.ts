import type { Finding, Fingerprint, Snapshot } from '#core/workspace/snapshot.ts';
import { Fault } from '#core/contract/fault.ts';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { allEnded } from '#infra/git/all-ended.ts';
import { readable, rebuildIndex, type Staged, stage, writeTree } from '#infra/git/changes.ts';
import {
  controlDir,
  openedWorkspace,
  ownHead,
  ownIndex,
  repositoryGit,
  setOwnHead,
  type Workspace,
  withoutConversions,
  workspaceGit,
  writeRecord,
} from '#infra/git/control.ts';
import { look } from '#infra/git/files.ts';
import { type Head, readHead } from '#infra/git/head.ts';
import { withLock } from '#infra/git/lock.ts';
import { mendPointer } from '#infra/git/pointer.ts';
import { runRef, snapshotRefs } from '#infra/git/run-refs.ts';
import { findStranded, readTips, rememberTips, type Stranded, type Tips } from '#infra/git/stranded.ts';

export interface SnapshotKey {
  runId: string;
  step: string;
  pass: number;
  attempt: number;
}

export interface SnapshotRequest extends SnapshotKey {
  /** The path of an open worktree. */
  worktree: string;
  /** Globs of ignored files that belong to the work all the same (F2). */
  keep: readonly string[];
  /**
   * `read-only`: a sandbox kept the repository from whoever worked here, so there is no commit of theirs to look for.
   * Default `watched`.
   */
  refs?: 'watched' | 'read-only';
}

/**
 * Records everything in the worktree, ignored files apart, as a commit under `refs/setpoint/<runId>/<step>/<pass>`
 * (F2). An unchanged tree costs one look and keeps its commit and ref. Files of nested repositories are recorded as files,
 * commits made by hand are kept and reported, a replaced `.git` is put back (F5, F6, R023, R025).
 * Throws `workspace/missing`, `workspace/snapshot-failed` (never "no change"), `store/disk-full`, `workspace/locked`.
 */
export async function snapshot(request: SnapshotRequest): Promise<Snapshot> {
  const { worktree } = request;
  return locked(worktree, async (workspace) => {
    try {
      return await record(workspace, request);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'workspace/git-failed') throw error;
      const message = `The work in ${worktree} could not be recorded, so it is not judged: ${error.message}`;
      throw new Fault('workspace/snapshot-failed', message, { cause: error });
    }
  });
}

/** Runs `work` as the only one that uses our index of an open worktree. Throws `workspace/missing`, `workspace/locked`. */
export async function locked<T>(worktree: string, work: (workspace: Workspace) => Promise<T>): Promise<T> {
  await openedWorkspace(worktree);
  return withLock(join(controlDir(worktree), 'lock'), async () => {
    const workspace = await openedWorkspace(worktree);
    if ((await look(worktree))?.isDirectory() !== true) {
      throw new Fault(
        'workspace/missing',
        `The workspace's folder ${worktree} is gone. Open it again; its last snapshot is kept in the repository.`,
      );
    }
    // We hold the lock: what is left of git's own lock is a killed git's.
    await rm(`${ownIndex(worktree)}.lock`, { force: true });
    // The record is the truth: a crash between the two must not make an old tree look unchanged.
    if ((await ownHead(worktree)) !== workspace.record.snapshot) await setOwnHead(worktree, workspace.record.snapshot);
    return work(workspace);
  });
}

/**
 * `stage`; once more on a rebuilt index when a crash had broken it; and at last without any conversion, since the agent
 * can write attributes with which git refuses its files.
 */
export async function stageSafely(
  workspace: Workspace,
  keep: readonly string[],
): Promise<Staged & { attributesIgnored: boolean }> {
  if ((await look(ownIndex(workspace.path))) === undefined) await rebuildIndex(workspace);
  const tries = [
    async () => stage(workspace, keep),
    async () => {
      await rebuildIndex(workspace);
      return stage(workspace, keep);
    },
    async () => withoutConversions(workspace, () => stage(workspace, keep)),
  ];
  let failure: unknown;
  for (const [n, attempt] of tries.entries()) {
    try {
      return { ...(await attempt()), attributesIgnored: n === 2 };
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'workspace/git-failed') throw error;
      failure = error;
    }
  }
  throw failure;
}

interface Seen {
  staged: Staged & { attributesIgnored: boolean };
  tree: string;
  head: Head;
  stranded: Stranded;
}

async function record(workspace: Workspace, request: SnapshotRequest): Promise<Snapshot> {
  const mended = await mendPointer(workspace);
  const [staged, head, { stranded, tips }] = await allEnded([
    stageSafely(workspace, request.keep),
    readHead(workspace),
    request.refs === 'read-only' ? nothingStranded : watchRefs(workspace),
  ]);
  const tree = staged.changed.length === 0 ? workspace.record.tree : await writeTree(workspace);
  const made = await commitFor(workspace, tree, request);
  const refs = snapshotRefs(request);
  const kept = made.commit === workspace.record.snapshot ? [] : [refs.pass, refs.attempt];
  await keepRefs(workspace, [
    ...kept.map((ref): [string, string] => [ref, made.commit]),
    ...stranded.tips.map((commit): [string, string] => [runRef(workspace.record.runId, 'stranded', commit), commit]),
  ]);
  await setOwnHead(workspace.path, made.commit);
  // Only now: what was seen before its refs were kept would be forgotten by a crash.
  if (tips !== undefined) await rememberTips(workspace.path, tips);
  await writeRecord(workspace.path, {
    ...advanced(workspace, { staged, tree, head, stranded }),
    snapshot: made.commit,
    parent: made.parent,
  });
  const fingerprint: Fingerprint = { tree, head: head.commit };
  const findings = [...mended, ...findingsOf(workspace, staged), ...stranded.findings];
  return { ...made, tree, changedPaths: staged.changed.length, findings, fingerprint };
}

interface Watched {
  stranded: Stranded;
  /** The repository's refs as they are now. */
  tips?: Tips;
}

const nothingStranded: Watched = { stranded: { tips: [], findings: [] } };

/** F5: commits that were made by hand since the last snapshot. */
async function watchRefs(workspace: Workspace): Promise<Watched> {
  const [head, tips] = await Promise.all([readHead(workspace), readTips(workspace.record.commonDir)]);
  return { stranded: await findStranded(workspace, head, tips), tips };
}

function advanced(workspace: Workspace, { staged, tree, head, stranded }: Seen): Workspace['record'] {
  const { record } = workspace;
  return {
    ...record,
    tree,
    headText: head.text,
    head: head.commit,
    headLogBytes: head.logBytes,
    stranded: [...new Set([...record.stranded, ...stranded.tips])],
    nested: [...new Set([...record.nested, ...staged.nested])],
    submodules: record.submodules.filter(({ path }) => !staged.submodulesGone.includes(path)),
  };
}

async function commitFor(
  workspace: Workspace,
  tree: string,
  request: SnapshotRequest,
): Promise<{ commit: string; parent: string }> {
  const { record } = workspace;
  if (tree === record.tree && record.snapshot !== record.base)
    return { commit: record.snapshot, parent: record.parent };
  const message = `setpoint: ${request.step}, pass ${request.pass}, attempt ${request.attempt}\n\nRun: ${request.runId}\n`;
  return { commit: await commitTree(workspace, tree, message), parent: record.snapshot };
}

/** A commit of ours on the last snapshot. */
export async function commitTree(workspace: Workspace, tree: string, message: string): Promise<string> {
  const who = { NAME: 'Setpoint', EMAIL: 'setpoint@localhost' };
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value])),
  );
  const made = await workspaceGit(workspace, {
    args: ['commit-tree', tree, '-p', workspace.record.snapshot, '-F', '-'],
    env,
    input: Buffer.from(message),
  });
  return made.stdout.trim();
}

/** Sets refs of ours, all or none. */
export async function keepRefs(workspace: Workspace, refs: readonly (readonly [string, string])[]): Promise<void> {
  if (refs.length === 0) return;
  const input = refs.map(([ref, commit]) => `update ${ref} ${commit}\n`).join('');
  await repositoryGit(workspace.record, { args: ['update-ref', '--stdin'], input });
}

function findingsOf({ record }: Workspace, staged: Seen['staged']): Finding[] {
  const findings: Finding[] = [];
  const nested = staged.nested.filter((path) => !record.nested.includes(path)).map(readable);
  if (nested.length > 0) {
    findings.push({
      kind: 'nested_repository',
      paths: nested,
      detail: `${nested.join(', ')}: a repository inside the workspace. Its files are recorded as plain files; its own history is not.`,
    });
  }
  if (staged.submodulesKept.length > 0) {
    const paths = staged.submodulesKept;
    findings.push({
      kind: 'submodule_kept',
      paths,
      detail: `${paths.join(', ')}: the submodule is at another commit than the base names; the snapshot keeps the base's.`,
    });
  }
  if (staged.attributesIgnored) {
    findings.push({
      kind: 'attributes_ignored',
      detail: 'Git refused files because of what .gitattributes says; the snapshot holds them as they are on disk.',
    });
  }
  return findings;
}
