import fc from 'fast-check';
import { expect, test } from 'vitest';

import { readPattern } from '#core/doctor/pattern/readable-pattern.ts';

test('a pattern that could take long is not run at all (decision 2)', () => {
  for (const pattern of ['(a+)+$', '(?:a*)*b', '(a|aa)+\\1', '(\\w+\\s?)*!', 'a*b*c*d*e*f*g*']) {
    expect([pattern, readPattern(pattern)]).toEqual([pattern, undefined]);
  }
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
