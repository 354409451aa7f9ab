import { execFileSync } from 'node:child_process';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { renderCommand } from '#core/template/render.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
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
      // NUL cannot be passed to a program, so it is left out.
      const [first, second] = [a.replaceAll('\0', ''), b.replaceAll('\0', '')];
      const command = renderCommand(`printf '%s|' {{inputs.a}} x{{inputs.b}}y "$(printf '%s' {{inputs.a}})"`, {
        'inputs.a': a,
        'inputs.b': b,
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
