import fc from 'fast-check';
import { expect, test } from 'vitest';

import { readPattern } from '#core/doctor/pattern/readable-pattern.ts';

test('a pattern that could take long is not run at all (decision 2)', () => {
  for (const pattern of ['(a+)+$', '(?:a*)*b', '(a|aa)+\\1', '(\\w+\\s?)*!', 'a*b*c*d*e*f*g*']) {
    expect([pattern, readPattern(pattern)]).toEqual([pattern, undefined]);
  }
});

test('choices count as stars do: their number can grow as a power, too', () => {
  const many = ['(?:a|a){24}b', '(?:a?){24}b', `${'a?'.repeat(24)}${'a'.repeat(24)}b`, `${'(?:a|a)'.repeat(24)}b`];
  for (const pattern of many) expect([pattern, readPattern(pattern)]).toEqual([pattern, undefined]);
  const few = ['(?:APPROVED?|LGTM)\\b', '^(?:result|verdict):? (?:pass|ok|approved?)$', '(?=.*LGTM)a?b?c?'];
  for (const pattern of few) expect(readPattern(pattern)?.matches('x'.repeat(200))).toBe(false);
});

test('all patterns of a plan together take no longer than one may', () => {
  const trying = { steps: 1000 };
  const read = readPattern('a', trying);
  expect([read?.matches('a'.repeat(600)), read?.matches('a'.repeat(600)), read?.matches('a')]).toEqual([
    true,
    false,
    true,
  ]);
});

test('the more stars, the shorter the text it is tried on: none of these takes long', () => {
  const text = 'a'.repeat(5000);
  for (const pattern of ['a*a*a*a*a*b', 'a*a*a*b', '[\\s\\S]*[\\s\\S]*x', 'a.*b']) {
    const read = readPattern(pattern);
    for (const length of [30, 50, 100, 300, 2000, 4000, 5000]) expect(read?.matches(text.slice(0, length))).toBe(false);
  }
});

test('the sample is what a person would write', () => {
  const samples = ['VERDICT:\\s*APPROVE', '^LGTM$', '\\b0 failed\\b', '(?:yes|no)', '"total":\\s*\\d'];
  expect(samples.map((pattern) => readPattern(pattern)?.sample)).toEqual([
    'VERDICT: APPROVE',
    'LGTM',
    '0 failed',
    'yes',
    '"total": 7',
  ]);
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), (pattern) => {
      expect(['boolean', 'undefined']).toContain(typeof readPattern(pattern)?.matches('APPROVED WITH CHANGES'));
    }),
  );
});
