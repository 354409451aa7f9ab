import fc from 'fast-check';
import { expect, test } from 'vitest';

import { patternProblem } from '#core/plan/pattern.ts';

test.each([
  ['', 'pattern/empty'],
  ['(', 'pattern/invalid'],
  ['[z-a]', 'pattern/invalid'],
  ['(?i)ok', 'pattern/foreign'],
  ['(?s:.)', 'pattern/foreign'],
  ['(?P<name>x)', 'pattern/foreign'],
  ['(?>a)', 'pattern/foreign'],
  ['a++', 'pattern/foreign'],
  ['a*+', 'pattern/foreign'],
  ['a{2,3}+', 'pattern/foreign'],
  ['\\Aok', 'pattern/foreign'],
  ['ok\\z', 'pattern/foreign'],
  ['[[:alpha:]]', 'pattern/foreign'],
  ['VERDICT:\\s*APPROVE(?![\\s\\S]*VERDICT)', undefined],
  ['(?<name>a)\\k<name>', undefined],
  ['(?<!not )approved', undefined],
  ['a\\++', undefined],
  ['[*+]+', undefined],
  ['\\\\A', undefined],
  ['\\bok\\b', undefined],
  ['C\\+\\+', undefined],
])('%j: %s (A6, A14)', (pattern, code) => {
  expect(patternProblem(pattern, 'Step "Review"')?.code).toBe(code);
});

test('the message begins as V-10 says', () => {
  expect(patternProblem('(', 'Step "Review"')?.message).toMatch(/^Step "Review": invalid regex/);
});

test('a pattern without a problem compiles, and none throws', () => {
  const sound: RegExp[] = [];
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (pattern) => {
      if (patternProblem(pattern, 'x') === undefined) sound.push(new RegExp(pattern, 'im'));
    }),
  );
  expect(sound.length).toBeGreaterThan(0);
});
