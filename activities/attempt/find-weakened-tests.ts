import { resolve } from 'node:path';
import { type ChangedLine, weakenedTests } from '#core/check/weakened-tests.ts';
import type { AttemptInput } from '#core/contract/activities.ts';
import { changedPaths, diff } from '#infra/git/diff.ts';

/** Of a larger difference its beginning. */
const maxBytes = 2 * 1024 * 1024;
/** Of a longer line (nobody wrote it by hand) its beginning. */
const longestLine = 2_000;

/** B4: what an agent's work so far took away from the tests, or switched off in them, against the base. */
export async function findWeakenedTests({ step, workspace }: AttemptInput, commit: string): Promise<string[]> {
  if (step.work.kind !== 'agent' || workspace.base === undefined || commit === workspace.base.commit) return [];
  const comparison = { repo: resolve(workspace.plan.repo), base: workspace.base.commit, commit };
  const changes = await changedPaths(comparison);
  if (changes.length === 0) return [];
  const { text } = await diff({ ...comparison, maxBytes });
  return weakenedTests(changes, linesOf(text));
}

/** The lines of a difference as git shows it. Within a hunk no line begins a file: each has its sign before it. */
function linesOf(text: string): ChangedLine[] {
  const lines: ChangedLine[] = [];
  let path = '';
  let inHunk = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    else if (line.startsWith('@@ ')) inHunk = true;
    else if (!inHunk) path = pathOf(line) ?? path;
    else if (line.startsWith('+')) lines.push({ path, kind: 'added', text: line.slice(1, longestLine) });
    else if (line.startsWith('-')) lines.push({ path, kind: 'removed', text: line.slice(1, longestLine) });
  }
  return lines;
}

/** Of `--- a/PATH` and `+++ b/PATH`; a name with unusual characters stands in quotes. */
function pathOf(line: string): string | undefined {
  return /^(?:---|\+\+\+) "?[ab]\/(.+?)"?\t?$/.exec(line)?.[1];
}
