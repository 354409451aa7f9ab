import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createTerminalText, terminalText } from '#cli/terminal-text.ts';

test('A9: colours, tabs and line ends pass; what else a terminal would obey is shown', () => {
  expect(terminalText('a\tb\n\u001b[1;31mred\u001b[0m é😀')).toBe('a\tb\n\u001b[1;31mred\u001b[0m é😀');
  expect(terminalText('\u001b]52;c;eA==\u0007')).toBe('␛]52;c;eA==␇');
  expect(terminalText('\u001b[2J\u001b[1A\u009b2J\u007f\u0000')).toBe('␛[2J␛[1A\uFFFD2J␡␀');
  expect(terminalText('approve\rreject\r\n')).toBe('approve\nreject\n');
});

test('A9: a text in pieces is the same text, wherever it is cut', () => {
  const parts = fc.constantFrom('\u001b', '[', '31', 'm', ']0;x', '\u0007', '\r', '\n', 'text', '\u009b');
  fc.assert(
    fc.property(fc.array(parts), (pieces) => {
      const push = createTerminalText();
      const shown = [...pieces, '.'].map(push).join('');
      expect(shown).toBe(terminalText(`${pieces.join('')}.`));
    }),
  );
});
