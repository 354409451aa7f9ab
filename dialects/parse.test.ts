import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { Definition } from '#core/definition/definition.ts';
import type { Issue } from '#core/issue/issue.ts';
import { Plan } from '#core/plan/plan.ts';
import { compileText, compileValue, parseDefinition } from '#dialects/parse.ts';

const three = 'task: Mend it\nagent: codex\nchecks: [npm test]\n';

function issuesOf(text: string): { issues: readonly Issue[] } {
  const parsed = parseDefinition({ text });
  return parsed.kind === 'issues' ? parsed : { issues: [] };
}

describe('parsing', () => {
  test('gives the definition in its long form, with positions', () => {
    const parsed = parseDefinition({ text: three, file: 'green.loop.yaml' });
    expect(parsed.kind).toBe('definition');
    if (parsed.kind !== 'definition') return;
    expect(Definition.parse(parsed.definition)).toMatchObject({ name: 'green', steps: [{ id: 'work' }] });
    expect(parsed.dialect).toBe('native');
    expect(parsed.positions.get('checks.0')).toEqual({ line: 3, column: 10 });
  });

  test('a dialect can be named; an unknown one is an issue', () => {
    expect(parseDefinition({ text: three, dialect: 'native' }).kind).toBe('definition');
    const parsed = parseDefinition({ text: three, dialect: 'nativ' });
    expect(parsed.kind === 'issues' && parsed.issues[0]).toMatchObject({
      code: 'dialect/unknown',
      message: 'there is no dialect `nativ`; did you mean `native`?',
    });
  });
});

describe('texts that are no definition', () => {
  test.each([
    ['NUL characters', 'task: a\0b', 'source/syntax', 'the file is no text'],
    ['steps in a list of no dialect', 'steps: [{ prompt: a, run: b }]', 'dialect/unclear', '--dialect'],
    ['another JSON file', '{ "version": 3 }', 'definition/unknown-key', '`agent` and 14 more'],
    ['a list', '[]', 'definition/wrong-type', 'and 14 more, not a list'],
  ])('%s: the issue says what it is', (_name, text, code, message) => {
    const { issues } = issuesOf(text);
    expect(issues.find((issue) => issue.code === code)?.message).toContain(message);
  });
});

describe('overrides of the command line', () => {
  test('stand in for agent, delivery, worktree and repository', () => {
    const overrides = { agent: 'claude', deliver: 'commit', repo: '/srv/app' } as const;
    const compiled = compileText({ text: three, overrides });
    expect(compiled.kind === 'plan' && compiled.plan).toMatchObject({
      deliver: { mode: 'commit' },
      workspace: { repo: '/srv/app' },
      steps: [{ work: { agent: { name: 'claude' } } }],
    });
  });

  test('T-12: without a worktree nothing is delivered; a definition that delivers is refused, unless the delivery is none', () => {
    const bare = { deliver: { mode: 'none' }, workspace: { worktree: false } };
    const plain = compileText({ text: three, overrides: { worktree: false } });
    expect(plain.kind === 'plan' && plain.plan).toMatchObject(bare);
    const delivering = `${three}deliver: branch\n`;
    const refused = compileText({ text: delivering, overrides: { worktree: false } });
    expect(refused).toMatchObject({ issues: [{ code: 'deliver/needs-worktree', path: 'deliver' }] });
    const asked = compileText({ text: delivering, overrides: { worktree: false, deliver: 'none' } });
    expect(asked.kind === 'plan' && asked.plan).toMatchObject(bare);
  });

  test.each([
    ['.', '/srv/app'],
    ['./sub', '/srv/app/sub'],
    ['../other', '/srv/app/../other'],
    ['/abs', '/abs'],
    ['https://example.org/x.git', 'https://example.org/x.git'],
  ])('repo: %s is meant from the given folder', (written, expected) => {
    const compiled = compileText({
      text: `${three}workspace: { repo: "${written}" }\n`,
      overrides: { repo: '/srv/app' },
    });
    expect(compiled.kind === 'plan' && compiled.plan.workspace.repo).toBe(expected);
  });
});

describe('bounds: no text costs more than a moment (A14)', () => {
  const issueOf = (text: string): [string | undefined, number] => {
    const started = performance.now();
    const compiled = compileText({ text });
    return [compiled.kind === 'plan' ? 'plan' : compiled.issues[0]?.code, performance.now() - started];
  };

  test.each([
    ['5 MB', 'task: x\n'.repeat(700_000), 'source/too-large', 500],
    ['1 MB of three-byte characters', `task: ${'€'.repeat(400_000)}`, 'source/too-large', 500],
    ['half a million brackets', '['.repeat(500_000), 'source/too-deep', 500],
    ['a hundred thousand nested mappings', '{a: '.repeat(100_000), 'source/too-deep', 500],
    ['a million commas', `task: [${','.repeat(1_000_000)}]`, 'source/too-many-values', 500],
    ['a long line of dashes', `${'- '.repeat(20_000)}x`, 'source/too-deep', 10_000],
    ['aliases of aliases', bomb(), 'source/alias-limit', 1000],
  ])('%s are refused', (_what, text, code, withinMs) => {
    const [found, took] = issueOf(text);
    expect(found).toBe(code);
    expect(took).toBeLessThan(withinMs);
  });

  test.each([
    [400, 'plan'],
    [10_000, 'definition/too-large'],
  ])('%s steps are read in time: %s', (length, expected) => {
    const lines = Array.from(
      { length },
      (_, index) => `  s${index}: { run: make${index === 0 ? '' : `, after: s${index - 1}`} }`,
    );
    const [found, took] = issueOf(`steps:\n${lines.join('\n')}\n`);
    expect(found).toBe(expected);
    expect(took).toBeLessThan(15_000);
  });

  test('10,000 broken steps give 500 issues and say how many more there are', () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, index) => `  step-${index}: { run: "{{x}}", aftr: y, after: stop-${index} }`,
    );
    const compiled = compileText({ text: `steps:\n${lines.join('\n')}\n` });
    expect(compiled.kind === 'issues' && compiled.issues).toHaveLength(501);
    expect(compiled.kind === 'issues' && compiled.issues.at(-1)?.code).toBe('definition/too-many-issues');
  });

  function bomb(): string {
    const letters = 'abcdefghi'.split('');
    const line = (letter: string, index: number): string =>
      `${letter}: &${letter} [${Array(10)
        .fill(index === 0 ? 'x' : `*${letters[index - 1]}`)
        .join(', ')}]`;
    return letters.map(line).join('\n');
  }
});

describe('for anything at all', () => {
  const keys = fc.constantFrom(
    'task',
    'agent',
    'checks',
    'steps',
    'limits',
    'deliver',
    'run',
    'prompt',
    'loop',
    'after',
    'match',
    'name',
    'when',
    'env',
    'person',
    'ask',
    'form',
    'type',
    'properties',
    'call',
    'definition',
    'definitions',
    'for',
    'each',
    'review',
    'report',
    'outputs',
    'a',
    '__proto__',
    'constructor',
  );
  const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.string({ maxLength: 10 }),
      fc.constantFrom('codex', '5m', 'a', '{{inputs.a}}'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(keys, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));

  test('compiling a value is total, and a plan always fits its schema', () => {
    fc.assert(
      fc.property(fc.oneof(json, fc.jsonValue()), (value) => {
        const compiled = compileValue(value);
        if (compiled.kind === 'plan') expect(Plan.parse(compiled.plan)).toEqual(compiled.plan);
        else expect(compiled.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  test('the text of a mapping says what the mapping says', () => {
    const differences: unknown[] = [];
    fc.assert(
      fc.property(json, (value) => {
        if (typeof value !== 'object' || value === null) return;
        if (compileText({ text: JSON.stringify(value) }).kind !== compileValue(value).kind) differences.push(value);
      }),
      { numRuns: 300 },
    );
    expect(differences).toEqual([]);
  });

  test('compiling a text is total', () => {
    const pieces = fc.constantFrom(
      'task',
      ': ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '"',
      "'",
      '|',
      '>',
      '#',
      '!t ',
      '  ',
      'agent: codex\n',
      'steps:\n',
      '---\n',
      '? ',
      'é',
      '\t',
      '%YAML 1.1\n',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (text) => {
        expect(compileText({ text: text.join('') }).kind).toMatch(/plan|issues/);
      }),
      { numRuns: 1000 },
    );
  });
});
