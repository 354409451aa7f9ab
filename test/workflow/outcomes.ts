import type { Verdict } from '#core/check/verdict.ts';
import type { JudgeInput, JudgeResult, WorkspaceOpened } from '#core/contract/activities.ts';
import type { AttemptEnd, AttemptResult } from '#core/run/attempt-result.ts';

/** What scripted activities answer. A number stands for a tree: the same number is the same tree. */

export function snapshotOf(tree: number) {
  return { commit: `commit${tree}`, tree: `tree${tree}`, head: 'head' };
}

export function textOf(text: string) {
  return { sha256: text, bytes: text.length, excerpt: text };
}

export function workspaceAt(queue: string): WorkspaceOpened {
  return { hostId: 'host', queue, path: 'workspace', base: snapshotOf(0), notes: [] };
}

export function worked(tree: number, end: AttemptEnd = { kind: 'ok' }): AttemptResult {
  return {
    end,
    output: { sha256: `output${tree}`, bytes: 1, excerpt: 'done' },
    snapshot: snapshotOf(tree),
    fingerprint: `tree${tree}`,
    spend: { usd: 0.25, estimated: false, inputTokens: 10, outputTokens: 5 },
    findings: [],
    durationMs: 1,
  };
}

/** The verdict `kind` on every check that was asked; a failing round has findings of its own, so it is progress. */
export function judgedAs(kind: Verdict['kind'], input: JudgeInput, findings = `${input.pass}`): JudgeResult {
  const verdict: Verdict = { kind, evidence: { summary: `it said ${kind}`, durationMs: 1 }, findings: [] };
  return {
    verdicts: input.checks.map(({ name }) => ({ check: name, verdict })),
    fingerprint: `${kind}:${findings}`,
  };
}
