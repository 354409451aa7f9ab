import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { type Answer, type Answers, fillStarter, slotsIn } from '#cli/init/fill-starter.ts';
import { slots } from '#cli/init/slots.ts';
import { readStarter, starterNames, summaryOf } from '#cli/init/starters.ts';

const given = (value: string): Answer => ({ kind: 'given', value });

test('a value is read back as it is, in a block and inside of braces, whatever it holds', () => {
  const line = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !/[\r\n\u0085\u2028\u2029]/.test(text));
  fc.assert(
    fc.property(
      fc.oneof(line, fc.constantFrom('true', '5', 'a: b', '# x', '- y', "it's", '{a}', 'a, b', '*x')),
      (value) => {
        const text = fillStarter('run: <<test>>\nmap: { run: <<test>>, other: 1 }\n', { test: given(value) });
        const read: unknown = parse(text, { intAsBigInt: false, schema: 'failsafe' });
        const kept = value.replaceAll('{{', '\\{{');
        expect(read).toEqual({ run: kept, map: { run: kept, other: '1' } });
      },
    ),
  );
});

test('an empty slot takes its line along, and says in a comment how to add it', () => {
  const text = 'checks:\n  # <<?lint>>\n  - { name: lint, run: <<lint>> }\nend: 1\n';
  expect(fillStarter(text, { lint: { kind: 'none' } })).toBe('checks:\nend: 1\n');
  expect(fillStarter(text, {})).toBe(`checks:\n  # ${slots.lint.otherwise.comment}\nend: 1\n`);
});

test('what was found says where, with the other values', () => {
  const answer: Answer = {
    kind: 'found',
    suggestion: { value: 'npm test', because: 'a script', others: ['make test'] },
  };
  expect(fillStarter('# <<?test>>\nrun: <<test>>', { test: answer })).toBe(
    '# Found: a script. Also possible: make test.\nrun: npm test',
  );
});

test('a text of several lines keeps the indent of its slot, and a list is a list', () => {
  expect(fillStarter('run: |\n  <<test|text>> || exit 1', { test: given('a\nb') })).toBe('run: |\n  a\n  b || exit 1');
  expect(fillStarter('protect: <<tests>>', { tests: given('a/**, b "c"') })).toBe('protect: ["a/**", "b \\"c\\""]');
});

test.each(starterNames)('E-22, V-30: %s says what to adapt, and has no slot that nobody knows', async (name) => {
  const text = await readStarter(name);
  expect(text).toContain('# To adapt: ');
  expect(summaryOf(name).length).toBeLessThan(70);
  const all: Answers = Object.fromEntries(slotsIn(text).map((slot) => [slot, given('x')]));
  expect(fillStarter(text, all)).not.toMatch(/<</);
});
