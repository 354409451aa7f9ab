import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { explainPlan } from '#core/plan/explain.ts';
import { graphOf } from '#core/plan/graph.ts';
import { compileText } from '#dialects/parse.ts';

const guide = fileURLToPath(new URL('../../docs/guide/', import.meta.url));

function files(folder: string, ending: string): string[] {
  return readdirSync(folder).flatMap((name) => (name.endsWith(ending) ? [`${folder}${name}`] : []));
}

/** Whole definitions; other blocks of the guide show a part of one. */
function definitionsIn(file: string): string[] {
  const blocks = readFileSync(file, 'utf8').matchAll(/^```yaml\n(setpoint: 1\n[\s\S]*?)^```$/gm);
  return [...blocks].map(([, block = '']) => block);
}

const examples = [
  ...files(`${guide}examples/`, '.loop.yaml').map((file) => [basename(file), readFileSync(file, 'utf8')] as const),
  ...files(guide, '.md').flatMap((file) =>
    definitionsIn(file).map((block, index) => [`${basename(file)}, definition ${index + 1}`, block] as const),
  ),
];

test.each(examples)('%s of the guide is a definition that nothing is said against', (_name, text) => {
  const compiled = compileText({ text, unknownCalls: 'warning' });
  expect(compiled.kind === 'plan' ? compiled.warnings : compiled.issues).toEqual([]);
  if (compiled.kind === 'plan') {
    expect(explainPlan(compiled.plan)).not.toMatch(/undefined|\[object/);
    expect(graphOf(compiled.plan)).toContain('flowchart');
  }
});

test('there is an example for each kind of step and check that has a guide of its own', () => {
  expect(files(`${guide}examples/`, '.loop.yaml').map((file) => basename(file))).toEqual([
    'ask.loop.yaml',
    'call.loop.yaml',
    'handlers.loop.yaml',
    'list.loop.yaml',
    'people.loop.yaml',
    'report.loop.yaml',
    'review.loop.yaml',
  ]);
});
