import { describe, expect, test } from 'vitest';

import { judgePatterns, type PatternOutcome } from '#core/check/match-rule.ts';

const tried = (pattern: string, outcome: PatternOutcome) => ({ pattern, outcome });

describe('A6: match', () => {
  test.each([
    ['match', 'no_match', 'pass'],
    ['no_match', 'no_match', 'fail'],
    ['match', 'match', 'fail'],
    ['no_match', 'match', 'fail'],
    ['timeout', 'no_match', 'error'],
    ['invalid', 'no_match', 'error'],
    ['match', 'timeout', 'error'],
    ['match', 'invalid', 'error'],
    ['timeout', 'match', 'error'],
  ] as const)('A6: with both, pass pattern %s and fail pattern %s is %s', (pass, fail, kind) => {
    const outcome = judgePatterns({ pass: tried('ok', pass), fail: tried('no', fail), empty: false });
    expect(outcome.kind).toBe(kind);
  });

  test('A6, V-02: the reason of a missing pass match', () => {
    const outcome = judgePatterns({ pass: tried('VERDICT: APPROVE', 'no_match'), empty: false });
    expect(outcome).toEqual({
      kind: 'fail',
      reason: 'Verdict: output did not match pass pattern /VERDICT: APPROVE/',
    });
  });

  test('A6, V-03: the reason of a fail match', () => {
    const outcome = judgePatterns({ fail: tried('CHANGES', 'match'), empty: false });
    expect(outcome).toEqual({ kind: 'fail', reason: 'Verdict: output matched fail pattern /CHANGES/' });
  });

  test('A6, V-06: `fail` is judged first, so its reason is told when both failed', () => {
    const outcome = judgePatterns({ pass: tried('ok', 'no_match'), fail: tried('no', 'match'), empty: false });
    expect(outcome.reason).toContain('fail pattern');
  });

  test('A6, V-11: empty output never passes a pass pattern, even one that matches nothing', () => {
    expect(judgePatterns({ pass: tried('.*', 'match'), empty: true }).kind).toBe('fail');
  });

  test('A6, V-11: empty output passes a fail pattern', () => {
    expect(judgePatterns({ fail: tried('ERROR', 'no_match'), empty: true }).kind).toBe('pass');
  });

  test('A6: a pattern that could not be judged says which and why', () => {
    expect(judgePatterns({ pass: tried('(a+)+$', 'timeout'), empty: false }).reason).toBe(
      'The pattern /(a+)+$/ took too long on this output.',
    );
    expect(judgePatterns({ fail: tried('(', 'invalid'), empty: false }).reason).toBe(
      'The pattern /(/ is no valid regular expression.',
    );
  });
});
