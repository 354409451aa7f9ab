import { expect, test } from 'vitest';

import { examineRun } from '#core/doctor/history/examine-run.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { Verdict } from '#core/check/verdict.ts';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../../../test/fakes/plans.ts';

const looped = plan([
  step('work', {
    work: scriptedAgent(['true']),
    checks: [commandCheck('tests', { command: 'make test' }), commandCheck('lint', { command: 'make lint' })],
    loop: loopTo('work'),
  }),
]);

const base = { commit: 'c', tree: 't', head: 'h' };
const began: RunEvent[] = [
  { type: 'run.started', at: 1, runId: 'run_1' },
  { type: 'workspace.opening', at: 2 },
  { type: 'workspace.opened', at: 3, hostId: 'h', queue: 'q', path: '/w', base, notes: [] },
];

function verdict(kind: Verdict['kind'], digest?: string): Verdict {
  return {
    kind,
    evidence: { summary: kind, durationMs: 1, ...(digest === undefined ? {} : { digest }) },
    findings: [],
  };
}

/** One pass of a minute at 0.50 USD, judged as given; `repeats` fires the loop. */
function pass(number: number, tests: Verdict, repeats?: number): RunEvent[] {
  const at = number * 100_000;
  const on = { step: 'work', pass: number };
  const result = {
    end: { kind: 'ok' as const },
    output: { sha256: 'o', bytes: 1, excerpt: '' },
    fingerprint: `${number}`,
    spend: { usd: 0.5, estimated: false, inputTokens: 0, outputTokens: 0 },
    findings: [],
    durationMs: 60_000,
    snapshot: base,
  };
  return [
    { type: 'attempt.started', at, ...on, attempt: 1 },
    { type: 'attempt.finished', at: at + 60_000, ...on, attempt: 1, result },
    { type: 'checks.started', at: at + 60_000, ...on, round: 1 },
    { type: 'check.judged', at: at + 60_000, ...on, check: 'tests', verdict: tests },
    { type: 'check.judged', at: at + 60_000, ...on, check: 'lint', verdict: verdict('pass') },
    { type: 'checks.finished', at: at + 60_000, ...on, fingerprint: 'f' },
    ...(repeats === undefined ? [] : [fired(at + 60_000, number, repeats)]),
  ];
}

function fired(at: number, number: number, repeats: number): RunEvent {
  const loop = { to: 'work', count: number, limit: 4, reset: ['work'], fingerprint: 'f', repeats, message: '↺' };
  return { type: 'loop.fired', at, step: 'work', pass: number, ...loop };
}

test('E-20: on a run the doctor tells what is stuck, what comes back, what a pass takes, and what never said no', () => {
  const same = verdict('fail', 'the same');
  const events = [...began, ...pass(1, same, 0), ...pass(2, same, 1), ...pass(3, same, 2), ...pass(4, same)];
  const { findings, passes } = examineRun(looped, events);
  const shown = findings.filter(({ rule }) => rule.startsWith('run/')).map(({ rule, message }) => [rule, message]);
  expect(shown).toEqual([
    ['run/stuck', 'the last 3 passes of `work` came out the same'],
    ['run/ping-pong', '`tests` found the same in 4 of 4 passes'],
    ['run/check-never-failed', '`lint` passed in each of 4 passes'],
    ['run/cost-per-pass', '`work` took 4 passes of 1m on average, 2.00 USD, 0.50 USD a pass'],
  ]);
  expect(passes[1]).toEqual({ step: 'work', pass: 2, attempts: 1, usd: 0.5, durationMs: 60_000, failed: ['tests'] });
});

test('a check that could not run, and a loop that never had to fire', () => {
  const broken = examineRun(looped, [...began, ...pass(1, verdict('error'), 0), ...pass(2, verdict('pass'))]);
  expect(broken.findings.map(({ rule }) => rule)).toContain('run/check-could-not-run');
  const stop = { kind: 'succeeded' as const, reason: 'Every check passed.' };
  const easy = examineRun(looped, [...began, ...pass(1, verdict('pass')), { type: 'run.stopped', at: 500_000, stop }]);
  expect(easy.findings.map(({ rule }) => rule)).toContain('run/loop-never-fired');
  expect(easy.findings.map(({ rule }) => rule)).not.toContain('run/cost-per-pass');
});
