import { readdirSync, readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compile } from '#core/plan/compile.ts';
import type { Plan } from '#core/plan/plan.ts';
import { nativeText } from '#dialects/convert/convert.ts';
import { compileText, parseDefinition } from '#dialects/parse.ts';

import { arbitraryDefinition } from './arbitrary-definition.ts';
import { simulate } from './world.ts';

/** Each fixture of each dialect, also of one that is added later. */
const fixtures = readdirSync('dialects', { recursive: true, encoding: 'utf8' }).filter((path) =>
  /^[\w-]+\/fixtures\/.*\.(?:json|ya?ml)$/.test(path.replaceAll('\\', '/')),
);

function planOf(text: string, file?: string): Plan {
  const compiled = compileText({ text, ...(file === undefined ? {} : { file }) });
  if (compiled.kind === 'plan') return compiled.plan;
  throw new TypeError(`${file ?? text}: ${JSON.stringify(compiled.issues)}`);
}

describe('convert', () => {
  test('every dialect has fixtures to convert', () => {
    const dialects = new Set(fixtures.map((path) => path.split('/')[0]));
    expect([...dialects]).toEqual(expect.arrayContaining(['task-file', 'verdict-steps']));
  });

  test.each(fixtures)('%s: its native form is the same plan, and plays to the same events', (path) => {
    const text = readFileSync(`dialects/${path}`, 'utf8');
    const parsed = parseDefinition({ text, file: path });
    if (parsed.kind !== 'definition') throw new TypeError(JSON.stringify(parsed.issues));
    expect(parsed.dialect).toContain(path.split('/')[0]);
    const native = nativeText(parsed.definition);
    const [written, converted] = [planOf(text, path), planOf(native)];
    expect(converted).toEqual(written);
    fc.assert(
      fc.property(fc.array(fc.nat(100), { minLength: 1, maxLength: 200 }), (drawn) => {
        const [first, second] = [written, converted].map((plan) => {
          let at = 0;
          const draw = (below: number) => (drawn[at++ % drawn.length] ?? 0) % Math.max(1, below);
          return simulate(plan, draw, { crashes: true, messages: true, continueAsNew: false }).events;
        });
        expect(second).toEqual(first);
      }),
      { numRuns: 3 },
    );
  });

  test('any definition that compiles has a native form that compiles to the same plan', () => {
    let compiledOnes = 0;
    fc.assert(
      fc.property(arbitraryDefinition, (definition) => {
        const compiled = compile(definition);
        const again = compileText({ text: nativeText(definition) });
        if (compiled.kind !== 'plan') return;
        compiledOnes += 1;
        expect(again.kind === 'plan' ? again.plan : again.issues).toEqual(compiled.plan);
      }),
      { numRuns: 120 },
    );
    // Few of what is drawn may contradict itself, or the test would show little.
    expect(compiledOnes).toBeGreaterThan(30);
  });
});
