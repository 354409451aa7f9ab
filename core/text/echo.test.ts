import fc from 'fast-check';
import { expect, test } from 'vitest';

import { withoutEcho } from '#core/text/echo.ts';

const prompt = 'Do it.\nEnd with VERDICT: APPROVE or VERDICT: CHANGES_REQUESTED.\n';

test('A9, R001: exact copies of the prompt are left out, what the agent said itself stays', () => {
  expect(withoutEcho(`> ${prompt}I changed one file.\n`, prompt, false)).toBe('> \nI changed one file.\n');
  expect(withoutEcho(`${prompt}${prompt}VERDICT: APPROVE`, prompt, false).trim()).toBe('VERDICT: APPROVE');
});

test('A9, R001: a copy of which only the end is left is left out, too', () => {
  const end = `${prompt.slice(10)}I changed one file.\n`;
  expect(withoutEcho(end, prompt, true).trim()).toBe('I changed one file.');
  expect(withoutEcho(end, prompt, false)).toBe(end);
});

test('A9: an empty prompt leaves everything, and nothing but a copy is ever left out', () => {
  expect(withoutEcho('text', ' \n', true)).toBe('text');
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b') }),
      fc.string({ unit: fc.constantFrom('a', 'b') }),
      (a, b) => {
        const overlaps = Array.from({ length: a.length + 1 }, (_, length) => length);
        const longest = Math.max(
          0,
          ...overlaps.filter((length) => length > 0 && b.startsWith(a.slice(a.length - length))),
        );
        // With a prompt that does not stand whole in the text, all that goes is the longest overlap.
        fc.pre(a !== '' && !b.includes(a));
        expect(withoutEcho(b, a, true)).toBe(b.slice(longest));
      },
    ),
  );
});

test('A9: a long prompt of one letter takes no time', { timeout: 5_000 }, () => {
  expect(withoutEcho('a'.repeat(20_000), 'a'.repeat(200_000), true)).toBe('');
});
