import type { Verdict } from '#core/check/verdict.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { AttemptResult, SnapshotRef } from '#core/run/attempt-result.ts';
import type { Work } from '#core/run/command.ts';
import { planStep } from '#core/run/graph.ts';
import { baselineChecks } from '#core/run/next.ts';
import { baselineName, type Outcome } from '#core/run/settle.ts';
import { noSpend } from '#core/run/state.ts';
import type { ChildEnd, Took } from '#core/simulate/record.ts';
import type { Decision, DecisionKind } from '#core/task/question.ts';

const minute = 60_000;

/** What an attempt, a review or a child run takes when nothing is recorded of it, in milliseconds. */
export const inventedMs = 5 * minute;

/** Gives the milliseconds of the next piece of work that takes time. */
export type Durations = () => number;

/** Always `inventedMs`; with a seed drawn anew each time, from one minute to ten. */
export function durationsOf(seed: number | undefined): Durations {
  if (seed === undefined) return () => inventedMs;
  let drawn = seed | 0;
  // mulberry32: the same seed gives the same durations everywhere.
  return () => {
    drawn = (drawn + 0x6d2b79f5) | 0;
    let mixed = Math.imul(drawn ^ (drawn >>> 15), 1 | drawn);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return minute + (((mixed ^ (mixed >>> 14)) >>> 0) % (9 * minute));
  };
}

/**
 * What the work gives when all goes well: checks and conditions let the run go on, and take no time. `place` is the work's
 * own in the run, so that no two are taken for the same.
 */
export function invent(plan: Plan, work: Work, durations: Durations, place: string): Took<Outcome> {
  if (work.do === 'attempt' || work.do === 'recover') {
    const tookMs = durations();
    return { tookMs, value: { of: 'attempt', value: attempted(plan, work, tookMs) } };
  }
  if (work.do === 'review') {
    const value = { verdict: verdict('pass', 'invented'), fingerprint: '', spend: noSpend };
    return { tookMs: durations(), value: { of: 'review', value } };
  }
  return { tookMs: 0, value: atOnce(plan, work, place) };
}

type Quick = Exclude<Work, { do: 'attempt' | 'recover' | 'review' }>;

function atOnce(plan: Plan, work: Quick, place: string): Outcome {
  switch (work.do) {
    case 'openWorkspace':
      return { of: 'openWorkspace', value: opened(plan) };
    case 'baseline':
      return { of: 'baseline', value: { verdicts: baselineVerdicts(plan), fingerprint: '' } };
    case 'evaluate':
      return { of: 'evaluate', value: { kind: isWhile(plan, work) ? 'unmet' : 'met', actual: 'invented' } };
    case 'judge': {
      const verdicts = work.checks.map((check) => ({ check, verdict: verdict('pass', 'invented') }));
      return { of: 'judge', value: { verdicts, fingerprint: '' } };
    }
    case 'openTask': {
      const { work: asks } = planStep(plan, work.step);
      return { of: 'openTask', value: { ask: { text: asks.kind === 'person' ? asks.ask : '' }, shown: [] } };
    }
    case 'expand':
      return { of: 'expand', value: ['invented item 1', 'invented item 2'] };
    case 'startChild':
      return { of: 'startChild', value: { runId: place } };
    case 'collect':
      return { of: 'collect', value: { output: artifact(`collected ${work.step}#${work.pass}.${work.attempt}`) } };
    case 'cancelChild':
      return { of: 'cancelChild', value: null };
    case 'keepFiles':
      return { of: 'keepFiles', value: { files: 0 } };
    case 'deliver':
      return { of: 'deliver', value: { mode: plan.deliver.mode, nothingToDeliver: false } };
    default:
      return unreachable(work);
  }
}

/** A `while` that is met would go round once more; what is invented ends it. */
function isWhile(plan: Plan, work: Extract<Work, { do: 'evaluate' }>): boolean {
  return work.purpose === 'repeat' && planStep(plan, work.step).loop?.repeat?.mode === 'while';
}

function opened(plan: Plan) {
  const place = { hostId: 'none', queue: '', path: '(simulated)', notes: [] };
  return plan.workspace.worktree ? { ...place, base: snapshot('base') } : place;
}

function baselineVerdicts(plan: Plan) {
  return baselineChecks(plan).flatMap(({ step, checks }) =>
    checks.map(({ name }) => ({ check: baselineName(step.id, name), verdict: verdict('pass', 'invented') })),
  );
}

/** A tree of its own, so that every pass is progress (C8). */
function attempted(
  plan: Plan,
  { step, pass, attempt }: { step: string; pass: number; attempt: number },
  durationMs: number,
): AttemptResult {
  const tree = `invented ${step}#${pass}.${attempt}`;
  const leaves = plan.workspace.worktree && !planStep(plan, step).readOnly;
  return {
    end: { kind: 'ok' },
    output: artifact(tree),
    ...(leaves ? { snapshot: snapshot(tree) } : {}),
    fingerprint: tree,
    spend: noSpend,
    findings: [],
    durationMs,
  };
}

export function inventedChild(place: string, durations: Durations): Took<ChildEnd> {
  const activeMs = durations();
  const toParent = { output: artifact(place), outputs: {}, spend: noSpend, activeMs };
  return { value: { stop: 'succeeded', toParent }, tookMs: activeMs };
}

/** `count` tells people apart, since each answers once. */
export function inventedDecision(kind: DecisionKind, count: number): Decision {
  const by = `person ${count}`;
  return { kind, by, comment: '', text: artifact(`${kind} by ${by}`), digest: `${kind} by ${by}` };
}

export function verdict(kind: Verdict['kind'], summary: string): Verdict {
  return { kind, evidence: { summary, durationMs: 0 }, findings: [] };
}

function artifact(name: string): ArtifactRef {
  return { sha256: `invented:${name}`, bytes: 0, excerpt: '' };
}

function snapshot(tree: string): SnapshotRef {
  return { commit: tree, tree, head: 'invented' };
}
