import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '#core/workspace/snapshot.ts';
import { isAbsent, readText, replaceText } from '#infra/git/files.ts';
import { type Head, headLog } from '#infra/git/head.ts';
import { controlDir, repositoryGit, type Workspace } from '#infra/git/control.ts';
import { runRef } from '#infra/git/run-refs.ts';

/** Commits that were made by hand in a workspace: the refs that will keep them, and what to report (F5). */
export interface Stranded {
  tips: string[];
  findings: Finding[];
}

/** Ref name to commit, of every branch, tag and stash that is not ours. */
export type Tips = Map<string, string>;

const known = 'refs.json';

/** The branches, tags and stash of the repository now. */
export async function readTips(commonDir: string): Promise<Tips> {
  const listed = await repositoryGit(
    { commonDir },
    { args: ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags', 'refs/stash'] },
  );
  const lines = listed.stdout.split('\n').filter((line) => line !== '' && !line.includes(' refs/heads/setpoint/'));
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}

export async function rememberTips(path: string, tips: Tips): Promise<void> {
  await replaceText(join(controlDir(path), known), JSON.stringify([...tips]));
}

/**
 * Finds commits that the agent made since the last snapshot: on HEAD, on refs that appeared or moved, in the stash, or
 * passed through by HEAD and left. Commits that another worktree made (a person at work) are not the agent's.
 */
export async function findStranded(workspace: Workspace, head: Head, tips: Tips): Promise<Stranded> {
  const { record } = workspace;
  const before = await knownTips(workspace.path);
  const moved = [...tips].filter(([ref, commit]) => before.get(ref) !== commit);
  const walked =
    head.logBytes === record.headLogBytes && head.commit === record.head ? [] : await walkedByHead(workspace);
  if (moved.length === 0 && walked.length === 0) return { tips: [], findings: [] };
  const others = moved.length === 0 ? '' : await logsOfOthers(workspace);
  const ours = moved.filter(([, commit]) => walked.includes(commit) || !others.includes(commit));
  const candidates = [...new Set([...walked, ...ours.map(([, commit]) => commit)])].filter(
    (commit) => !/^0+$/.test(commit),
  );
  const found = candidates.length === 0 ? [] : await unreachable(workspace, candidates, [...before.values()]);
  if (found.length === 0) return { tips: [], findings: [] };
  const kept = leaves(found);
  const refs = [...ours.map(([ref]) => ref), ...(found.some(({ commit }) => commit === head.commit) ? ['HEAD'] : [])];
  const where = refs.length === 0 ? 'no ref any more' : refs.join(', ');
  const detail = `${found.length} commit(s) were made by hand (on ${where}). They are kept under ${runRef(record.runId, 'stranded')}; what is delivered is the tree that passed, not these commits.`;
  return {
    tips: kept,
    findings: [{ kind: 'stranded_commits', commits: found.map(({ commit }) => commit), refs, detail }],
  };
}

async function knownTips(path: string): Promise<Tips> {
  const text = await readText(join(controlDir(path), known));
  return new Map(text === undefined ? [] : (JSON.parse(text) as [string, string][]));
}

async function walkedByHead(workspace: Workspace): Promise<string[]> {
  const whole = Buffer.from((await readText(headLog(workspace))) ?? '');
  const { headLogBytes } = workspace.record;
  // A log that shrank was written anew: all of it counts.
  const log = whole.subarray(whole.length < headLogBytes ? 0 : headLogBytes).toString();
  const head = (await readText(join(workspace.record.adminDir, 'HEAD'))) ?? '';
  const id = new RegExp(`\\b[0-9a-f]{${workspace.record.base.length}}\\b`, 'g');
  const ids = log.split('\n').flatMap((line) => line.split('\t')[0]?.match(id) ?? []);
  return [...new Set([...ids, ...(head.match(id) ?? [])])];
}

async function logsOfOthers({ record }: Workspace): Promise<string> {
  const folders = await names(join(record.commonDir, 'worktrees'));
  const admins = folders
    .map((name) => join(record.commonDir, 'worktrees', name))
    .filter((folder) => folder !== record.adminDir);
  const logs = await Promise.all([record.commonDir, ...admins].map((folder) => readText(join(folder, 'logs', 'HEAD'))));
  return logs.join('\n');
}

async function names(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

interface Walked {
  commit: string;
  parents: string[];
}

async function unreachable(
  { record }: Workspace,
  candidates: readonly string[],
  old: readonly string[],
): Promise<Walked[]> {
  const wanted = await existing(record.commonDir, candidates);
  if (wanted.length === 0) return [];
  const held = await existing(record.commonDir, [record.base, record.snapshot, ...record.stranded, ...old]);
  const listed = await repositoryGit(record, {
    args: ['rev-list', '--parents', '--max-count=1000', '--stdin'],
    input: [...wanted, ...held.map((commit) => `^${commit}`), ''].join('\n'),
  });
  return listed.stdout.split('\n').flatMap((line) => {
    const [commit, ...parents] = line.split(' ');
    return commit === undefined || commit === '' ? [] : [{ commit, parents }];
  });
}

/** Those that are commits, or tags of one, in the repository: a log may name what is gone. */
async function existing(commonDir: string, ids: readonly string[]): Promise<string[]> {
  const asked = [...new Set(ids)].map((id) => `${id}^{commit}\n`).join('');
  const checked = await repositoryGit(
    { commonDir },
    { args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'], input: asked },
  );
  return checked.stdout
    .split('\n')
    .flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, -' commit'.length)] : []));
}

function leaves(commits: readonly Walked[]): string[] {
  const inner = new Set(commits.flatMap(({ parents }) => parents));
  return commits.map(({ commit }) => commit).filter((commit) => !inner.has(commit));
}
