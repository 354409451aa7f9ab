import { expect, test } from 'vitest';

import { type AttemptEnd, type AttemptResult } from '#core/run/attempt-result.ts';
import type { RunEvent } from '#core/run/event.ts';

import { eventLines } from '#cli/render/event-lines.ts';
import { samplePlan, twoPasses, verdict } from '#cli/testing/sample-run.ts';

function textsOf(event: RunEvent): string[] {
  return eventLines(event).map((line) => line.text);
}

test('a run of two passes reads as a story: attempts with time and spend, verdicts with evidence, the loop (V-16)', () => {
  expect(twoPasses.flatMap(({ event }) => textsOf(event))).toEqual([
    'run run_01hsample started',
    'workspace /w on host h1, base 0000000000',
    '▶ work pass 1',
    '■ work pass 1: done, in 12 s, 0.13 USD',
    '  ✗ work · tests: 1 of 2 tests failed',
    '↺ work requested another pass: looping back to "work" (1/4)',
    '▶ work pass 2',
    '■ work pass 2: done, in 12 s, 0.13 USD',
    '  ✓ work · tests: exit 0',
    '✓ work',
    `delivered cccccccccc on branch setpoint/run_01hsample`,
    'succeeded: every check passed',
  ]);
});

test.each([
  ['missing', '  ? work · tests missing: no report'],
  ['error', '  ! work · tests: could not run: no report'],
  ['fail', '  ✗ work · tests: no report'],
] as const)('a verdict %s is told apart from the others (B1)', (kind, line) => {
  const event = { type: 'check.judged', at: 1, step: 'work', pass: 1, check: 'tests' } as const;
  expect(textsOf({ ...event, verdict: verdict(kind, 'no report') })).toEqual([line]);
});

test('a command that could not run says so once (B10)', () => {
  const event = { type: 'check.judged', at: 1, step: 'work', pass: 1, check: 'frobnicate --x' } as const;
  expect(textsOf({ ...event, verdict: verdict('error', 'it could not run (not found)') })).toEqual([
    '  ! work · frobnicate --x: could not run: not found',
  ]);
});

test('findings beside a verdict are told (B4, B12)', () => {
  const event = { type: 'check.judged', at: 1, step: 'work', pass: 1, check: 'tests' } as const;
  const judged = { ...verdict('fail', 'exit 1'), findings: ['tampered: shop.test.mjs'] };
  expect(textsOf({ ...event, verdict: judged })[1]).toBe('    tampered: shop.test.mjs');
});

const ends: [AttemptEnd, string][] = [
  [{ kind: 'failed', reason: 'exit 7' }, 'failed: exit 7'],
  [{ kind: 'failed', reason: 'signals disagree' }, 'failed: signals disagree (exit 7)'],
  [{ kind: 'timed_out', afterSeconds: 90 }, 'ran out of time after 1 min 30 s'],
  [{ kind: 'cancelled' }, 'ended by us'],
  [{ kind: 'crashed', reason: 'SIGSEGV' }, 'crashed: SIGSEGV'],
  [{ kind: 'quota', reason: 'usage limit' }, 'usage limit (reset unknown)'],
  [{ kind: 'quota', reason: 'usage limit', resetAtMs: 0 }, 'usage limit (resets 1970-01-01T00:00:00.000Z)'],
  [{ kind: 'refused', reason: 'no sign-in', remedy: 'run codex login' }, 'refused: no sign-in; run codex login'],
];

test.each(ends)('an attempt that ended as %o says how (A12, E6)', (end, words) => {
  const result: AttemptResult = {
    end,
    exitCode: 7,
    output: { sha256: 'a', bytes: 0, excerpt: '' },
    fingerprint: 'f',
    spend: { estimated: false, inputTokens: 1000, outputTokens: 24 },
    findings: [],
    durationMs: 1_500,
  };
  const event = { type: 'attempt.finished', at: 1, step: 'work', pass: 2, attempt: 3, result } as const;
  expect(textsOf(event)).toEqual([`■ work pass 2, attempt 3: ${words}, in 1.5 s, 1024 tokens`]);
});

test('a pause names its reason and its remedy (E2)', () => {
  expect(
    textsOf({ type: 'run.paused', at: 1, code: 'limit/spend', reason: 'spent 5 USD', remedy: 'raise it' }),
  ).toEqual(['paused: spent 5 USD (limit/spend)', '  remedy: raise it']);
});

const by = { at: 1, messageId: 'm', by: 'anna' };
const remark = { by: 'anna', comment: 'name the flag', text: { sha256: 'a', bytes: 0, excerpt: '' } };
const steering: [RunEvent, string][] = [
  [{ type: 'run.resumed', ...by }, 'resumed by anna'],
  [{ type: 'run.resumed', ...by, reason: 'disk is free' }, 'resumed by anna: disk is free'],
  [
    { type: 'run.raised', ...by, limits: { passes: 9, timeSeconds: 7200, spendUsd: 5 } },
    'limits raised by anna: 9 passes, 2 h 0 min of time, 5 USD',
  ],
  [{ type: 'run.edited', ...by, revision: 2, plan: samplePlan }, 'edited by anna: plan revision 2, from the next pass'],
  [{ type: 'run.retried', ...by }, 'retried by anna: the run starts again, its counters are reset'],
  [{ type: 'run.cancelling', ...by, reason: 'wrong branch' }, 'cancelling by anna: wrong branch'],
  [
    { type: 'step.pushed_back', ...by, step: 'work', pass: 2, remark, reset: ['work'] },
    '↺ anna pushed back work: name the flag',
  ],
  [{ type: 'run.held', at: 1, messageId: 'm', source: 'nightly' }, 'source "nightly" is off: no new pass begins'],
  [
    { type: 'run.forked', at: 1, runId: 'run_2', from: { runId: 'run_1', step: 'work', pass: 3 } },
    'forked from run_1 at work:3',
  ],
];

test.each(steering)('E3, E8: %o tells who did what', (event, line) => {
  expect(textsOf(event)).toEqual([line]);
});
