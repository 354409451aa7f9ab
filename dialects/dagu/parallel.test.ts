import { describe, expect, test } from 'vitest';

import { compileText } from '#dialects/parse.ts';

const child = '---\nname: copy\nparams: [{ FROM: "" }, { TO: "" }]\nsteps: [{ run: cp "$FROM" "$TO" }]\n';

function compiled(call: string) {
  const text = `params: [{ PLACE: eu }]\nsteps:\n  - id: a\n    action: dag.run\n${call}\n${child}`;
  return compileText({ text, file: 'copies.yaml' });
}

function workOf(...lines: string[]) {
  const made = compiled(lines.map((line) => `    ${line}`).join('\n'));
  if (made.kind === 'issues') expect(made.issues).toEqual([]);
  return made.kind === 'plan' ? made.plan.steps[0]?.work : undefined;
}

function issuesOf(...lines: string[]): string[] {
  const made = compiled(lines.map((line) => `    ${line}`).join('\n'));
  return made.kind === 'issues' ? made.issues.map(({ line, message }) => `${line} ${message}`) : [];
}

describe('D-14: a child for each item', () => {
  test('items with fields are read by name, or are the parameters by their names', () => {
    const items = 'parallel: { items: [{ FROM: a, TO: b }, { FROM: c d, TO: "{{e" }] }';
    const list = String.raw`[{"FROM":"a","TO":"b"},{"FROM":"c d","TO":"\{{e"}]`;
    expect(workOf('with: { dag: copy }', items)).toMatchObject({
      each: { list, max: 10 },
      inputs: { FROM: '{{item.FROM}}', TO: '{{item.TO}}' },
    });
    expect(workOf('with: { dag: copy, params: "FROM=${ITEM.FROM} TO=x/${ITEM.TO}" }', items)).toMatchObject({
      inputs: { FROM: '{{item.FROM}}', TO: 'x/{{item.TO}}' },
    });
  });

  test('a value gives words; items that refer to values are worked out', () => {
    const named = 'with: { dag: copy, params: { FROM: "${ITEM}" } }';
    expect(workOf(named, 'parallel: ${params.PLACE}')).toMatchObject({
      each: { list: '{{inputs.PLACE}}', split: 'words' },
    });
    expect(workOf(named, 'parallel: ["x-${params.PLACE}", y]')).toMatchObject({
      each: { list: 'x-{{inputs.PLACE}}\ny' },
    });
  });

  test('what a child would not get is told', () => {
    expect(issuesOf('with: { dag: copy }', 'parallel: [a, b]')).toEqual([
      '5 a child gets an item by name: write `params: {NAME: "${ITEM}"}` with the parameter that it is',
    ]);
    expect(issuesOf('with: { dag: copy, params: "FROM=$HOME/x TO=${ITEM.a.b}" }', 'parallel: [a]')).toEqual([
      expect.stringContaining('`$HOME`: `HOME` is not defined in the file'),
      expect.stringContaining('`${ITEM.a.b}`: the value is not available here'),
    ]);
    expect(issuesOf('with: { dag: "${PLACE}-copy" }')).toEqual([
      '5 which DAG is called is fixed in the file; write its name in place of `${PLACE}-copy`',
      expect.stringContaining('nothing calls the definition `copy`'),
    ]);
    expect(issuesOf('with: { dag: copy }', 'parallel: [{ FROM: "${params.PLACE}" }]')).toEqual([
      '6 a field of an item is a fixed text; give the value under `params` of the call',
    ]);
  });
});
