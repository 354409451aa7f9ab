import type { AttemptEnd, AttemptResult, MatchOutcome } from '#core/run/attempt-result.ts';
import type { Work } from '#core/run/command.ts';
import type { Outcome } from '#core/run/settle.ts';
import type { RunState } from '#core/run/state.ts';

import { childName } from './family.ts';
import type { Draw } from './world.ts';

const noSpend = { usd: 0.01, estimated: false, inputTokens: 1, outputTokens: 1 };

/** What a piece of work gives, drawn. */
export function outcomeOf(state: RunState, work: Work, draw: Draw): Outcome {
  switch (work.do) {
    case 'openWorkspace':
      return {
        of: 'openWorkspace',
        value: { hostId: 'h', queue: 'q', path: '/w', base: snapshotOf(0), notes: [] },
      };
    case 'baseline':
      return { of: 'baseline', value: { verdicts: [], fingerprint: '' } };
    case 'evaluate':
      return { of: 'evaluate', value: drawCondition(draw) };
    case 'attempt':
      return { of: 'attempt', value: drawResult(draw) };
    case 'recover':
      return { of: 'recover', value: drawRecovered(draw) };
    case 'judge':
      return {
        of: 'judge',
        value: {
          fingerprint: `f${draw(4)}`,
          verdicts: work.checks.map((check) => ({ check, verdict: drawVerdict(draw) })),
        },
      };
    case 'review':
      return { of: 'review', value: { verdict: drawVerdict(draw), fingerprint: `f${draw(4)}`, spend: noSpend } };
    case 'openTask':
      return { of: 'openTask', value: { ask: { text: 'drawn' }, shown: [] } };
    case 'expand':
      return { of: 'expand', value: Array.from({ length: draw(4) }, (_, index) => `item ${index}`) };
    case 'startChild':
      return { of: 'startChild', value: { runId: childName(state, work) } };
    case 'collect':
      return { of: 'collect', value: { output: { sha256: `all${draw(100)}`, bytes: 1, excerpt: '' } } };
    case 'cancelChild':
      return { of: 'cancelChild', value: null };
    case 'keepFiles':
      return { of: 'keepFiles', value: { files: 1 } };
    case 'deliver':
      return { of: 'deliver', value: { mode: 'branch', nothingToDeliver: false, commit: 'c', branch: 'b' } };
  }
}

function drawCondition(draw: Draw) {
  const drawn = draw(6);
  if (drawn === 0) return { kind: 'error' as const, reason: 'drawn' };
  return { kind: drawn < 4 ? ('met' as const) : ('unmet' as const), actual: 'drawn' };
}

function drawVerdict(draw: Draw) {
  const kinds = ['pass', 'pass', 'pass', 'pass', 'pass', 'fail', 'missing', 'error'] as const;
  return { kind: kinds[draw(kinds.length)] ?? 'fail', evidence: { summary: 'drawn', durationMs: 1 }, findings: [] };
}

function snapshotOf(tree: number) {
  return { commit: `commit${tree}`, tree: `tree${tree}`, head: 'head' };
}

function drawRecovered(draw: Draw) {
  const drawn = draw(3);
  if (drawn === 0) return { kind: 'finished' as const, result: drawResult(draw) };
  if (drawn === 1) return { kind: 'resumable' as const };
  return { kind: 'lost' as const, spend: noSpend };
}

function drawEnd(draw: Draw): AttemptEnd {
  const ends: AttemptEnd[] = [
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'failed', reason: 'exit 1' },
    { kind: 'failed', reason: 'exit 1' },
    { kind: 'timed_out', afterSeconds: 1 },
    { kind: 'crashed', reason: 'killed' },
    { kind: 'overload', reason: 'busy' },
  ];
  return ends[draw(ends.length)] ?? { kind: 'ok' };
}

function drawMatch(draw: Draw): MatchOutcome {
  const kinds = ['pass', 'fail', 'error'] as const;
  return { kind: kinds[draw(kinds.length)] ?? 'fail', reason: 'drawn' };
}

function drawResult(draw: Draw): AttemptResult {
  const tree = draw(40);
  const end = drawEnd(draw);
  return {
    end,
    ...(end.kind === 'failed' ? { exitCode: 1, goesOn: drawMatch(draw) } : {}),
    output: { sha256: `out${draw(100)}`, bytes: 1, excerpt: '' },
    snapshot: snapshotOf(tree),
    fingerprint: `tree${tree}`,
    spend: noSpend,
    findings: [],
    durationMs: 1,
  };
}
