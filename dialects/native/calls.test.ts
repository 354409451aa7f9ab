import { describe, expect, test } from 'vitest';

import type { Definition } from '#core/definition/definition.ts';
import type { Plan } from '#core/plan/plan.ts';
import { Plan as PlanSchema } from '#core/plan/plan.ts';
import type { CompilingSettings } from '#dialects/parse.ts';
import { compileText, parseDefinition } from '#dialects/parse.ts';

function planOf(text: string, settings: CompilingSettings = {}): Plan {
  const compiled = compileText({ text, ...settings });
  if (compiled.kind === 'issues') expect(compiled.issues).toEqual([]);
  return PlanSchema.parse(compiled.kind === 'plan' ? compiled.plan : undefined);
}

/** Every issue as `line:severity:code`. */
function issuesOf(text: string, settings: CompilingSettings = {}): string[] {
  const compiled = compileText({ text, ...settings });
  const issues = compiled.kind === 'plan' ? compiled.warnings : compiled.issues;
  return issues.map(({ line, severity, code }) => `${line}:${severity}:${code}`);
}

function messagesOf(text: string, settings: CompilingSettings = {}): string[] {
  const compiled = compileText({ text, ...settings });
  return (compiled.kind === 'plan' ? compiled.warnings : compiled.issues).map(({ message }) => message);
}

function definitionOf(text: string): Definition {
  const parsed = parseDefinition({ text });
  return parsed.kind === 'definition' ? parsed.definition : expect.fail(JSON.stringify(parsed.issues));
}

/** `audit` on lines 1 to 6, with a required and an optional input; steps from line 8. */
const withAudit = (...lines: string[]): string =>
  [
    'definitions:',
    '  audit:',
    '    inputs: { area: { type: string, required: true }, depth: { type: number } }',
    '    task: Look at {{inputs.area}}',
    '    agent: codex',
    '    checks: [make]',
    'steps:',
    ...lines,
    'project: web',
  ].join('\n');

describe('a call', () => {
  test('starts a definition that is written inside, whose plan is frozen in this one', () => {
    const plan = planOf(withAudit('  a: { call: { definition: audit, inputs: { area: src, depth: 2 } } }'));
    expect(plan.steps[0]).toMatchObject({
      work: { kind: 'call', definition: 'audit', inputs: { area: 'src', depth: '2' } },
      timeSeconds: 14_400,
    });
    expect(plan.children?.['audit']).toMatchObject({
      name: 'audit',
      project: 'web',
      deliver: { mode: 'none' },
      steps: [{ id: 'work', checks: [{ command: 'make' }] }],
    });
  });

  test('delivers what the called definition says; the caller alone delivers nothing of its own', () => {
    const plan = planOf('definitions:\n  a: { steps: { x: { run: x } }, deliver: commit }\nsteps:\n  b: { call: a }\n');
    expect([plan.deliver.mode, plan.children?.['a']?.deliver.mode]).toEqual(['none', 'commit']);
  });

  test('may take as long as its run, or its own time', () => {
    const time = (text: string): number | undefined => planOf(text).steps[0]?.timeSeconds;
    const definitions = 'definitions: { a: { steps: { x: { run: x } } } }\n';
    expect(time(`${definitions}steps: { b: { call: a, time: 5m } }`)).toBe(300);
    expect(time(`${definitions}steps: { b: { call: a } }\nlimits: { time: 2h }`)).toBe(7200);
    expect(time(`${definitions}steps: { b: { call: a } }\nlimits: { time: none }`)).toBe(2_592_000);
  });

  test('of each item of a list starts three child runs at a time, or as many as it says', () => {
    const each = (written: string): unknown => {
      const work = planOf(
        withAudit(`  a: { call: { definition: audit, inputs: { area: "{{item}} {{index}}" } }, ${written} }`),
      ).steps[0]?.work;
      return work?.kind === 'call' ? work.each : undefined;
    };
    expect(each('for: { each: "{{feedback}}" }')).toEqual({ list: '{{feedback}}', max: 3 });
    expect(each('for: { each: [a, 1.10], max: 8 }')).toEqual({ list: '["a","1.10"]', max: 8 });
    expect(each('for: { each: "{{feedback}}", split: words }')).toMatchObject({ split: 'words' });
  });

  test('finds definitions from the inside out, and each plan holds what it calls', () => {
    const plan = planOf(
      [
        'definitions:',
        '  leaf: { steps: { outer: { run: x } } }',
        '  middle:',
        '    definitions: { leaf: { steps: { inner: { run: x } } } }',
        '    steps: { a: { call: leaf } }',
        '  beside: { steps: { a: { call: leaf } } }',
        'steps: { a: { call: middle }, b: { call: beside } }',
      ].join('\n'),
    );
    const idsOf = (name: string) => plan.children?.[name]?.children?.['leaf']?.steps.map(({ id }) => id);
    expect([idsOf('middle'), idsOf('beside')]).toEqual([['inner'], ['outer']]);
    expect(Object.keys(plan.children ?? {})).toEqual(['middle', 'beside']);
  });

  test('finds stored definitions, and those see nothing of what is written in their caller', () => {
    const text = 'definitions: { b: { steps: { local: { run: x } } } }\nsteps: { x: { call: a }, y: { call: b } }\n';
    const library = {
      a: definitionOf('name: Stored A\nsteps: { x: { call: b } }'),
      b: definitionOf('steps: { stored: { run: x } }'),
      unused: definitionOf('steps: { x: { run: x } }'),
    };
    const { children = {} } = planOf(text, { library });
    expect(children['a']).toMatchObject({ name: 'Stored A', children: { b: { steps: [{ id: 'stored' }] } } });
    expect(children['b']).toMatchObject({ steps: [{ id: 'local' }] });
    expect(Object.keys(children)).toEqual(['a', 'b']);
  });

  test('gives its outputs by name, and what is asked of them is known', () => {
    const text = (outputs: string, named: string): string =>
      `definitions:\n  a: { steps: { x: { run: x } }, outputs: ${outputs} }\nsteps:\n  b: { call: a }\n  c: { run: "echo {{${named}}}", after: b }\n`;
    const plan = planOf(text('{ report: steps.x.output }', 'steps.b.outputs.report'));
    expect(plan.children?.['a']?.outputs).toEqual({ report: 'x' });
    expect(issuesOf(text('{ report: steps.y.output }', 'steps.b.output'))).toEqual(['2:error:step/unknown']);
    expect(issuesOf(text('{ report: steps.x.output }', 'steps.b.outputs.reprot'))).toEqual([
      '5:error:template/unknown-output',
    ]);
    expect(messagesOf(text('{ report: steps.x.output }', 'steps.b.outputs.reprot'))).toEqual([
      '`{{steps.b.outputs.reprot}}`: `a` has no output `reprot`; did you mean `report`?',
    ]);
  });

  test('of what another agent is named for on the command line is done by that agent, too', () => {
    const compiled = compileText({
      text: withAudit('  a: { call: { definition: audit, inputs: { area: x } } }'),
      overrides: { agent: 'claude', repo: '/work', deliver: 'branch' },
    });
    const child = compiled.kind === 'plan' ? compiled.plan.children?.['audit'] : undefined;
    expect(child).toMatchObject({
      steps: [{ work: { agent: { name: 'claude' } } }],
      workspace: { repo: '.' },
      deliver: { mode: 'none' },
    });
  });
});

describe('a call that is wrong', () => {
  test.each<[string, string[], string[]]>([
    [
      'an unknown definition',
      ['  a: { call: adit }'],
      ['2:warning:call/never-called', '8:error:call/unknown-definition'],
    ],
    ['no name', ['  a: { call: { inputs: { a: b } } }'], ['2:warning:call/never-called', '8:error:definition/missing']],
    [
      'an input that is not declared',
      ['  a:', '    call:', '      definition: audit', '      inputs: { area: x, dpeth: 1 }'],
      ['11:error:call/unknown-input'],
    ],
    ['a required input left out', ['  a: { call: audit }'], ['8:error:call/missing-input']],
    [
      'an input of the wrong type',
      ['  a:', '    call:', '      definition: audit', '      inputs: { area: x, depth: deep }'],
      ['11:error:input/wrong-type'],
    ],
    [
      'a list for a command',
      ['  a: { run: x, for: { each: y } }'],
      ['2:warning:call/never-called', '8:error:definition/conflict'],
    ],
    [
      'a list without items',
      ['  a: { call: { definition: audit, inputs: { area: x } }, for: { max: 2 } }'],
      ['8:error:definition/missing'],
    ],
    [
      'none at a time',
      ['  a: { call: { definition: audit, inputs: { area: x } }, for: { each: y, max: 0 } }'],
      ['8:error:definition/out-of-range'],
    ],
    [
      'an item of no list',
      ['  a: { call: { definition: audit, inputs: { area: "{{item}}" } } }'],
      ['8:error:template/unknown-root'],
    ],
    [
      'exit codes to retry',
      ['  a: { call: { definition: audit, inputs: { area: x } }, retry: { on: [1] } }'],
      ['8:error:definition/conflict'],
    ],
    [
      'read only',
      ['  a: { call: { definition: audit, inputs: { area: x } }, readOnly: true }'],
      ['8:error:definition/conflict'],
    ],
    [
      'an output by name of each item',
      [
        '  a: { call: { definition: audit, inputs: { area: x } }, for: { each: y } }',
        '  b: { run: "echo {{steps.a.outputs.x}}", after: a }',
      ],
      ['9:error:template/unknown-output'],
    ],
    [
      'an output by name of no call',
      ['  a: { call: { definition: audit, inputs: { area: x } } }', '  b: { run: "echo {{steps.b.outputs.x}}" }'],
      ['9:error:template/unknown-output'],
    ],
  ])('%s is an issue with its line', (_what, lines, expected) => {
    expect(issuesOf(withAudit(...lines))).toEqual(expected);
  });

  test('the nearest known definition is named, of this file or of the store', () => {
    expect(messagesOf(withAudit('  a: { call: adit }'))[1]).toBe(
      'there is no definition `adit`; did you mean `audit`?',
    );
    const library = { nightly: definitionOf('steps: { x: { run: x } }') };
    expect(messagesOf('steps: { a: { call: nihgtly } }', { library })).toEqual([
      'there is no definition `nihgtly`; did you mean `nightly`?',
    ]);
  });

  test('offline an unknown definition is a warning: the server looks it up', () => {
    const text = 'steps:\n  a: { call: nightly }\n  b: { run: "echo {{steps.a.outputs.x}}", after: a }\n';
    expect(issuesOf(text, { unknownCalls: 'warning' })).toEqual(['2:warning:call/unknown-definition']);
    expect(issuesOf(text)).toEqual(['2:error:call/unknown-definition']);
  });

  test('definitions that call each other are named in their order', () => {
    const text = [
      'definitions:',
      '  a: { steps: { x: { call: b } } }',
      '  b: { steps: { y: { call: a } } }',
      'steps: { z: { call: a } }',
    ].join('\n');
    expect(issuesOf(text)).toEqual(['2:error:call/loop']);
    expect(messagesOf(text)[0]).toContain('`a` calls `b` calls `a`');
    expect(issuesOf('definitions:\n  a: { steps: { x: { call: a } } }\nsteps: { z: { call: a } }')).toEqual([
      '2:error:call/loop',
    ]);
  });

  test('a stored definition that calls itself, or holds an issue, is told where it is called', () => {
    const library = {
      self: definitionOf('steps: { x: { call: self } }'),
      broken: definitionOf('steps: { x: { agent: codx, prompt: y } }'),
      around: definitionOf('steps: { x: { call: broken } }'),
    };
    expect(issuesOf('steps:\n  a: { call: self }', { library })).toEqual(['2:error:call/loop']);
    expect(issuesOf('steps:\n  a: { call: around }', { library })).toEqual(['2:error:agent/unknown']);
    expect(messagesOf('steps:\n  a: { call: around }', { library })[0]).toContain(
      'the stored definition `broken`: steps.x.agent: there is no agent `codx`',
    );
  });

  test('issues inside a definition are told at their own lines, in the short form and in the long one', () => {
    const text = [
      'definitions:',
      '  a:',
      '    task: "{{nothing}}"',
      '    agent: codx',
      '    checks: [make]',
      '  b:',
      '    steps:',
      '      x: { run: make, after: y }',
      '  d: { task: x, agent: codex }',
      '  e: nothing',
      'steps:',
      '  z: { call: a }',
      '  y: { call: b }',
    ].join('\n');
    expect(issuesOf(text)).toEqual([
      '3:error:template/unknown-root',
      '4:error:agent/unknown',
      '8:error:step/unknown',
      '9:error:loop/no-signal',
      '10:error:definition/wrong-type',
    ]);
    expect(issuesOf('definitions:\n  b c: { steps: { x: { run: x } } }\nsteps: { a: { call: b c } }')).toEqual([
      '2:error:call/bad-name',
    ]);
  });

  test('E7: a spend limit cannot hold when an agent that is called, however deep, tells no spend', () => {
    const text = (agent: string): string =>
      [
        'definitions:',
        `  a: { task: x, agent: ${agent}, checks: [make] }`,
        '  b: { steps: { x: { call: a } } }',
        'steps: { z: { call: b } }',
        'limits: { spend: 1 USD }',
      ].join('\n');
    expect(issuesOf(text('codex'))).toEqual([]);
    expect(issuesOf(text('amp'))).toEqual(['5:error:limit/cannot-bind']);
  });

  test('calls go five deep and no deeper', () => {
    const chain = (length: number): string =>
      [
        'definitions:',
        ...Array.from({ length }, (_, index) => {
          const work = index + 1 === length ? 'run: x' : `call: d${index + 1}`;
          return `  d${index}: { steps: { s: { ${work} } } }`;
        }),
        'steps: { s: { call: d0 } }',
      ].join('\n');
    expect(issuesOf(chain(5))).toEqual([]);
    expect(issuesOf(chain(6))).toEqual(['8:error:call/too-deep']);
    expect(messagesOf(chain(6))[0]).toContain('this definition calls `d0` calls `d1` calls `d2`');
    expect(issuesOf(chain(3000)).at(-1)).toBe('3002:error:call/too-deep');
  });

  test('many calls of many definitions are refused before they are written out', () => {
    const wide = (depth: number, width: number): string => {
      const names = Array.from({ length: width }, (_, index) => index);
      const lines = ['definitions:'];
      for (let level = 0; level < depth; level += 1) {
        for (const name of names) {
          const steps =
            level + 1 === depth
              ? 's: { run: x }'
              : names.map((to) => `s${to}: { call: d${level + 1}x${to} }`).join(', ');
          lines.push(`  d${level}x${name}: { steps: { ${steps} } }`);
        }
      }
      return [...lines, `steps: { ${names.map((to) => `s${to}: { call: d0x${to} }`).join(', ')} }`].join('\n');
    };
    expect(issuesOf(wide(5, 20))).toEqual(['102:error:definition/too-many-steps']);
    expect(issuesOf(wide(2, 3))).toEqual([]);
    const long = [
      'definitions:',
      `  leaf: { steps: { x: { run: "${'x'.repeat(300_000)}" } } }`,
      ...[0, 1, 2, 3].map((name) => `  d${name}: { steps: { x: { call: leaf } } }`),
      `steps: { ${[0, 1, 2, 3].map((name) => `s${name}: { call: d${name} }`).join(', ')} }`,
    ];
    expect(issuesOf(long.join('\n'))).toEqual(['7:error:call/too-large']);
  });

  test('a callback, kept files and outputs are read; what is wrong with them has its line', () => {
    const plan = planOf(
      'task: x\nagent: codex\nchecks: [a]\noutputs: { text: steps.work.output }\nkeepBetweenRuns: notes/*.md\ncallback: { url: "https://a.example" }',
    );
    expect(plan).toMatchObject({
      outputs: { text: 'work' },
      keepBetweenRuns: ['notes/*.md'],
      callback: { url: 'https://a.example' },
    });
    expect(
      issuesOf(
        'task: x\nagent: codex\nchecks: [a]\noutputs: { "a b": steps.wrok.output }\ncallback:\n  url: a\n  secret: b',
      ),
    ).toEqual([
      '4:error:output/bad-name',
      '4:error:step/unknown',
      '6:error:definition/wrong-type',
      '7:error:definition/wrong-type',
    ]);
    expect(issuesOf('steps: { a: { run: x } }\nworkspace: { worktree: false }\nkeepBetweenRuns: [a]')).toEqual([
      '3:warning:workspace/needs-worktree',
    ]);
  });
});
