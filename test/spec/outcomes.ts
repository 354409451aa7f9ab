import type { ConditionOutcome } from '#core/check/condition.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { AttemptEnd, AttemptResult, MatchOutcome, SnapshotRef } from '#core/run/attempt-result.ts';
import { noSpend } from '#core/run/state.ts';

/** What the world can answer, in one word each: results of attempts, verdicts, conditions. */

export interface Left {
  /** The tree that the attempt left; absent = no snapshot (a reader, or `worktree: off`). */
  tree?: string;
  head?: string;
  usd?: number;
  exitCode?: number;
  match?: MatchOutcome;
  session?: string;
  fingerprint?: string;
  output?: string;
}

export function snapshotOf(tree: string, head = 'head'): SnapshotRef {
  return { commit: `commit-${tree}`, tree, head };
}

export function ended(end: AttemptEnd, left: Left = {}): AttemptResult {
  const { tree, head = 'head', usd = 0, exitCode, match, session, output = 'out' } = left;
  return {
    end,
    output: { sha256: output, bytes: 1, excerpt: output },
    fingerprint: left.fingerprint ?? `${tree ?? ''}:${head}`,
    spend: { ...noSpend, usd },
    findings: [],
    durationMs: 1,
    ...(tree === undefined ? {} : { snapshot: snapshotOf(tree, head) }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(match === undefined ? {} : { match }),
    ...(session === undefined ? {} : { session }),
  };
}

export function ok(left: Left = {}): AttemptResult {
  return ended({ kind: 'ok' }, { exitCode: 0, ...left });
}

export function exited(exitCode: number, left: Left = {}): AttemptResult {
  return ended({ kind: 'failed', reason: `exit ${exitCode}` }, { exitCode, ...left });
}

export function timedOut(afterSeconds: number, left: Left = {}): AttemptResult {
  return ended({ kind: 'timed_out', afterSeconds }, left);
}

export function crashed(left: Left = {}): AttemptResult {
  return ended({ kind: 'crashed', reason: 'it was killed by SIGKILL' }, left);
}

export function quota(resetAtMs?: number): AttemptResult {
  return ended({
    kind: 'quota',
    reason: 'the usage window is used up',
    ...(resetAtMs === undefined ? {} : { resetAtMs }),
  });
}

export function overload(retryAfterSeconds?: number): AttemptResult {
  const told = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return ended({ kind: 'overload', reason: 'the provider is busy', ...told });
}

export function refused(): AttemptResult {
  return ended({ kind: 'refused', reason: 'the model does not exist', remedy: 'Name another model.' });
}

export function matchFailed(reason: string, left: Left = {}): AttemptResult {
  return ok({ ...left, match: { kind: 'fail', reason } });
}

/** A verdict under the name of its check. */
export interface Judged {
  check: string;
  verdict: Verdict;
}

function judged(kind: Verdict['kind'], check: string, summary: string): Judged {
  const digest = `${kind}:${summary}`;
  return { check, verdict: { kind, evidence: { summary, digest, durationMs: 1 }, findings: [] } };
}

export const passes = (check: string): Judged => judged('pass', check, 'exit 0');
export const fails = (check: string, summary = 'exit 1'): Judged => judged('fail', check, summary);
export const isMissing = (check: string): Judged => judged('missing', check, 'no report');
export const cannotRun = (check: string): Judged => judged('error', check, 'exit 127');

export const met: ConditionOutcome = { kind: 'met', actual: '0' };
export const unmet: ConditionOutcome = { kind: 'unmet', actual: '1' };
export const unclear: ConditionOutcome = { kind: 'error', reason: 'exit 127' };
