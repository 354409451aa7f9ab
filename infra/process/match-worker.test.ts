import { afterEach, describe, expect, test } from 'vitest';
import { createPatternMatcher, matchPattern } from '#infra/process/match-worker.ts';

const matcher = createPatternMatcher({ limitMs: 300 });
afterEach(() => matcher.close());

describe('A6 matching patterns that people wrote', () => {
  test('flags i and m, unanchored, look-ahead included', async () => {
    expect(await matcher.matchPattern('^ok$', 'one\nOK\ntwo')).toBe('match');
    expect(await matcher.matchPattern('ok(?!ay)', 'okay')).toBe('no_match');
    expect(await matcher.matchPattern('a.c', 'a\nc')).toBe('no_match');
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
