import { afterEach, describe, expect, test } from 'vitest';
import { createPatternMatcher, matchPattern } from '#infra/process/match-worker.ts';

const matcher = createPatternMatcher({ limitMs: 300 });
afterEach(() => matcher.close());

describe('A6 matching patterns that people wrote', () => {
  test('flags i and m, unanchored, look-ahead included (V-04)', async () => {
    expect(await matcher.matchPattern('^ok$', 'one\nOK\ntwo')).toBe('match');
    expect(await matcher.matchPattern('ok(?!ay)', 'okay')).toBe('no_match');
    expect(await matcher.matchPattern('a.c', 'a\nc')).toBe('no_match');
  });

  test('case counts where it is asked for, and only there', async () => {
    expect(await matcher.matchPattern('^Ok$', 'one\nok', { caseSensitive: true })).toBe('no_match');
    expect(await matcher.matchPattern('^ok$', 'one\nok', { caseSensitive: true })).toBe('match');
    expect(await matcher.matchPattern('^Ok$', 'one\nok')).toBe('match');
  });

  test.each([
    ['the reviewer approves', 'VERDICT:\\s*APPROVE', 'I looked.\nverdict:  approve', 'VERDICT: CHANGES_REQUESTED'],
    ['the reviewer wants changes', 'CHANGES_REQUESTED', 'VERDICT: CHANGES_REQUESTED', 'VERDICT: APPROVE'],
    [
      'only the last verdict counts',
      'VERDICT:\\s*APPROVE(?![\\s\\S]*VERDICT)',
      'End with VERDICT: CHANGES_REQUESTED or not.\nVERDICT: APPROVE',
      'VERDICT: APPROVE\nNo, wait.\nVERDICT: CHANGES_REQUESTED',
    ],
    ['no test failed', '\\b0 failed\\b', '12 passed, 0 failed', '12 passed, 10 failed'],
    ['a test failed', '\\b[1-9]\\d* failed\\b', '2 passed, 10 failed', '2 passed, 0 failed'],
    ['the agent flagged a blocker', '^BLOCKED:', 'I tried.\nBlocked: no network', 'It is not BLOCKED: go on'],
    ['a classifier says yes', '^\\s*yes\\s*$', 'Is it?\n Yes \n', 'yes, mostly'],
  ])('V-12: %s', async (_name, pattern, matches, differs) => {
    expect(await matcher.matchPattern(pattern, matches)).toBe('match');
    expect(await matcher.matchPattern(pattern, differs)).toBe('no_match');
  });

  test('a pattern that is no regex is invalid, not a crash', async () => {
    expect(await matcher.matchPattern('(', 'x')).toBe('invalid');
    expect(await matcher.matchPattern('x', 'x')).toBe('match');
  });

  test('a runaway pattern is killed, and the next one is served', async () => {
    const [runaway, next] = await Promise.all([
      matcher.matchPattern('(a+)+$', `${'a'.repeat(40)}!`),
      matcher.matchPattern('b', 'abc'),
    ]);
    expect([runaway, next]).toEqual(['timeout', 'match']);
  });

  test('the shared matcher needs no set-up', async () => {
    expect(await matchPattern('done', 'all DONE')).toBe('match');
  });
});
