import { describe, expect, test } from 'vitest';

import { issueCodes } from '#core/issue/issue-codes.ts';
import { didYouMean, nearest } from '#core/issue/nearest.ts';

describe('the nearest known name', () => {
  const known = ['checks', 'name', 'after', 'limits', 'onExhausted'];

  test.each([
    ['chekcs', 'checks'],
    ['check', 'checks'],
    ['Name', 'name'],
    ['nmae', 'name'],
    ['onexhausted', 'onExhausted'],
    ['limit', 'limits'],
    ['zzz', undefined],
    ['', undefined],
    ['a'.repeat(100), undefined],
  ])('of %j is %j', (word, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  test('is put into words, or nothing is said', () => {
    expect(didYouMean('chekcs', known)).toBe('; did you mean `checks`?');
    expect(didYouMean('zzz', known)).toBe('');
  });
});

test('issue codes are `<area>/<kebab>` and each says its meaning and its remedy', () => {
  for (const [code, { meaning, remedy }] of Object.entries(issueCodes)) {
    expect(code).toMatch(/^[a-z]+\/[a-z]+(?:-[a-z]+)*$/);
    expect(meaning).toMatch(/\.$/);
    expect(remedy).toMatch(/\.$/);
  }
});
