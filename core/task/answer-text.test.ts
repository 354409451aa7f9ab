import { expect, test } from 'vitest';

import { answerText, commentLine } from '#core/task/answer-text.ts';

test('D3: the comment and each field of the form reach the next pass', () => {
  const form = { risk: 'high', count: 2, ok: true, areas: ['a', 'b'], notes: 'first\nsecond' };
  expect(answerText(' Name the flag.\n', form)).toBe(
    'Name the flag.\n\n- risk: high\n- count: 2\n- ok: true\n- areas: ["a","b"]\n- notes:\n  first\n  second',
  );
  expect(answerText('', { risk: 'low' })).toBe('- risk: low');
  expect(answerText('', undefined)).toBe('');
});

test('decision 5: of a comment one line of at most 1,000 characters crosses a boundary', () => {
  expect(commentLine(' first\n\n  second ')).toBe('first second');
  expect(commentLine('x'.repeat(1_001))).toBe(`${'x'.repeat(999)}…`);
  expect(commentLine('x'.repeat(1_000))).toHaveLength(1_000);
});
