import { execFileSync } from 'node:child_process';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { renderCommand } from '#core/template/render.ts';

const hostile = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '$', '`', '(', ')', '\n', ' ', ';', '*', '!', '~', 'é', '😀'),
    maxLength: 60,
  }),
);

/** What a shell makes of a command: its stdout. */
function shell(command: string): string {
  return execFileSync('sh', ['-c', command], { encoding: 'utf8' });
}

test('an inserted value reaches the program as exactly one unchanged word, whatever it holds (A11)', () => {
  fc.assert(
    fc.property(hostile, hostile, (a, b) => {
      // Lone halves of pairs cannot be written as UTF-8, and NUL cannot be passed to a program.
      const [first, second] = [a, b].map((text) => text.replaceAll('\0', '').toWellFormed()) as [string, string];
      const command = renderCommand(`printf '%s|' {{inputs.a}} x{{inputs.b}}y "$(printf '%s' {{inputs.a}})"`, {
        'inputs.a': first,
        'inputs.b': second,
      });
      // A command substitution drops line ends at the end, as every shell does.
      expect(shell(command)).toBe(`${first}|x${second}y|${first.replace(/\n+$/, '')}|`);
    }),
    { numRuns: 150 },
  );
});

test('a raw value is the text of the command itself (A11)', () => {
  expect(shell(renderCommand('{{inputs.command | raw}} | cat', { 'inputs.command': 'printf %s a; printf %s b' }))).toBe(
    'ab',
  );
});
