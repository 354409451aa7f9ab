import { describe, expect, test } from 'vitest';

import { issueCodes } from '#core/issue/issue-codes.ts';
import { compileText } from '#dialects/parse.ts';

/** A right step on lines 2 and 3; what is broken comes on line 4 and after. */
const dag = (...lines: string[]): string => ['steps:', '  - id: first', '    run: make', ...lines].join('\n');
/** The second step, its `id` on line 4. */
const step = (...lines: string[]): string => dag('  - id: b', ...lines.map((line) => `    ${line}`));
const runs = (...lines: string[]): string => step('run: make', ...lines);
const harness = (...lines: string[]): string =>
  step('action: harness.run', 'with:', ...lines.map((line) => `  ${line}`));
const human = (...lines: string[]): string => step('action: human.task', 'with:', ...lines.map((line) => `  ${line}`));

/** [what, text, every issue as `line:code`] */
const broken: [string, string, string[]][] = [
  ['wrong syntax', dag('  - {id: b'), ['4:source/syntax']],
  ['a tab as indentation', dag('\t- id: b'), ['4:source/syntax']],
  ['F06: a root key written twice', dag('steps:', '  - run: make'), ['4:source/duplicate-key']],
  ['a key of a step written twice', runs('run: other'), ['6:source/duplicate-key']],
  ['a tag', dag('name: !env X'), ['4:source/tag']],
  ['no steps', 'steps: []\nworking_dir: .', ['1:definition/empty']],
  ['steps that are text', 'working_dir: .\nsteps: make', ['2:definition/wrong-type']],
  ['no steps at all, though it is called Dagu’s', 'working_dir: .', ['1:definition/missing']],
  ['a step without work', step('depends: first'), ['4:definition/missing']],
  ['a step with two kinds of work', runs('action: noop'), ['4:definition/conflict']],
  ['an unknown root key', dag('wrking_dir: .'), ['4:definition/unknown-key']],
  ['an unknown key of a step', runs('dependz: first'), ['6:definition/unknown-key']],
  ['an unknown key of a policy', runs('repeat_policy: { limt: 3 }'), ['6:definition/unknown-key']],
  [
    'an old and a new name of one key',
    runs('retry_policy: { limit: 1 }', 'retryPolicy: { limit: 2 }'),
    ['7:definition/conflict'],
  ],
  ['D-19: a root key that is not run', dag('container: { image: x }'), ['4:dialect/not-run']],
  ['D-19: a key of a step that is not run', runs('mail_on_error: true'), ['6:dialect/not-run']],
  ['D-19: an action that is not run', step('action: http.request', 'with: { url: x }'), ['5:dialect/not-run']],
  ['D-19: an older way that is not run', step('executor: docker'), ['5:dialect/not-run']],
  ['D-19: a handler that is not run', dag('handler_on: { wait: echo }'), ['4:dialect/not-run']],
  ['D-19: another way of ordering', dag('type: agent'), ['4:dialect/not-run']],
  ['an unknown action', step('action: harnes.run', 'with: { prompt: x }'), ['5:definition/unknown-value']],
  ['an unknown type', dag('type: tree'), ['4:definition/unknown-value']],
  ['a step that nobody has', runs('depends: frist'), ['6:step/unknown']],
  ['a circle', dag('  - { id: b, run: make, depends: c }', '  - { id: c, run: make, depends: b }'), ['4:step/cycle']],
  ['two steps of one id', dag('  - { id: first, run: make }'), ['4:step/duplicate-id']],
  ['an id that is none', dag('  - { id: b c, run: make }'), ['4:step/bad-id']],
  ['an unknown provider', harness('provider: claud', 'prompt: x'), ['7:agent/unknown']],
  ['an agent without prompt', harness('provider: codex'), ['6:definition/missing']],
  ['a provider by reference', harness('provider: ${P}', 'prompt: x'), ['7:dialect/not-run']],
  [
    'a sandbox without walls',
    harness('provider: codex', 'sandbox: danger-full-access', 'prompt: x'),
    ['8:dialect/not-run'],
  ],
  [
    'an agent’s output in the folder',
    step('action: harness.run', 'with: { provider: codex, prompt: x }', 'stdout: out.txt'),
    ['7:dialect/not-run'],
  ],
  ['a limit that is no number', runs('repeat_policy: { exit_code: 1, limit: .nan }'), ['6:definition/wrong-type']],
  ['a limit by reference', runs('repeat_policy: { exit_code: 1, limit: "${N}" }'), ['6:dialect/not-run']],
  ['a negative limit', runs('repeat_policy: { exit_code: 1, limit: -1 }'), ['6:definition/out-of-range']],
  ['half a second', runs('timeout_sec: 0.5'), ['6:definition/wrong-type']],
  [
    'F18: a code of HTTP',
    runs('retry_policy: { limit: 3, exit_code: [429, 503] }'),
    ['6:definition/out-of-range', '6:definition/out-of-range'],
  ],
  ['until, without what decides', runs('repeat_policy: { repeat: until, limit: 3 }'), ['6:definition/missing']],
  [
    'another word for repeating',
    runs('repeat_policy: { repeat: always, exit_code: 1 }'),
    ['6:definition/unknown-value'],
  ],
  [
    'F04: a bad pattern under `negate`',
    runs('preconditions:', '  - { condition: x, expected: "re:[", negate: true }'),
    ['7:pattern/invalid'],
  ],
  [
    'a flag of another language',
    runs('preconditions:', '  - { condition: x, expected: "re:(?i)ok" }'),
    ['7:pattern/foreign'],
  ],
  ['a bad pattern that lets a failure go', runs('continue_on: { output: "re:(" }'), ['6:pattern/invalid']],
  ['a condition without one', runs('preconditions: [{ expected: x }]'), ['6:definition/missing']],
  [
    'a number that is none',
    runs('preconditions: [{ condition: x, expected: "num:>=many" }]'),
    ['6:definition/unknown-value'],
  ],
  ['a question without prompt', human('form: { type: object }'), ['6:definition/missing']],
  ['a form that is none', human('prompt: x', 'form: { type: list }'), ['8:person/bad-form']],
  [
    'a question that is repeated',
    step('action: human.task', 'with: { prompt: x }', 'repeat_policy: { repeat: true }'),
    ['7:definition/conflict'],
  ],
  ['a push back to nowhere', human('prompt: x', 'push_back: { rewind_to: frist }'), ['8:step/unknown']],
  ['a push back without a target', human('prompt: x', 'push_back: {}'), ['8:definition/missing']],
  ['a parameter that nobody declared', step('run: echo ${params.x}'), ['5:template/unknown-input']],
  ['an output that nobody gives', step('run: echo ${steps.first.outputs.x}'), ['5:template/unknown-output']],
  ['a step that nobody has, in a text', step('run: echo ${steps.frist.outputs.x}'), ['5:template/unknown-step']],
  ['a value that no run has', step('run: echo ${context.run.idd}'), ['5:template/unknown-root']],
  ['a value that is not available', step('run: echo ${context.paths.log_file}'), ['5:dialect/not-run']],
  ['a name with fields that is none', step('run: echo ${frist.output.x}'), ['5:template/unknown-root']],
  [
    'a child that is not there',
    step('action: dag.run', 'with: { dag: chidl }', 'output: X') + '\n---\nname: child\nsteps: [make]\n',
    ['6:call/unknown-definition', '9:call/never-called'],
  ],
  [
    'an exit code of a child run',
    `${step('action: dag.run', 'with: { dag: child }', 'retry_policy: { limit: 1, exit_code: 1 }')}\n---\nname: child\nsteps: [make]\n`,
    ['7:definition/conflict'],
  ],
  ['a child without a name', dag('---', 'steps: [make]'), ['5:definition/missing']],
  [
    'a broken step of a child',
    `${step('action: dag.run', 'with: { dag: child }')}\n---\nname: child\nsteps:\n  - { run: make, retry_policy: { limit: many } }\n`,
    ['10:definition/wrong-type'],
  ],
  [
    'a parameter that a child does not take',
    `${step('action: dag.run', 'with: { dag: child, params: { A: 1 } }')}\n---\nname: child\nsteps: [make]\n`,
    ['6:call/unknown-input'],
  ],
  [
    'a default that a command gives, in a prompt',
    `${harness('provider: codex', 'prompt: ${params.DAY}')}\nparams: "DAY=\`date\`"`,
    ['8:dialect/not-run'],
  ],
  ['a variable that is none', dag('env: { 1A: x }'), ['4:env/bad-name']],
  ['a schedule that is none', dag('schedule: daily'), ['4:definition/unknown-value']],
  ['a time to stop', dag('schedule: { start: "0 6 * * *", stop: "0 7 * * *" }'), ['4:dialect/not-run']],
  ['a shell that is none', dag('shell: pwsh'), ['4:dialect/not-run']],
  ['a folder by reference', dag('working_dir: ${HOME}/app'), ['4:dialect/not-run']],
  [
    'a folder outside of that of the run',
    `${runs('working_dir: /elsewhere')}\nworking_dir: /app`,
    ['6:dialect/not-run'],
  ],
  ['a merge of what is no mapping', runs('<<: make'), ['6:definition/wrong-type']],
  [
    'everything at once',
    `${step('run: echo ${params.x}', 'dependz: first')}\n  - { id: c, action: nope }\ncontainer: x`,
    ['5:template/unknown-input', '6:definition/unknown-key', '7:definition/unknown-value', '8:dialect/not-run'],
  ],
];

function issuesOf(text: string): string[] {
  const compiled = compileText({ text, dialect: 'dagu-yaml' });
  const issues = compiled.kind === 'plan' ? [] : compiled.issues;
  for (const { code, message } of issues) {
    expect(Object.keys(issueCodes)).toContain(code);
    expect(message).not.toMatch(/undefined|\[object/);
  }
  return issues.map(({ line, code }) => `${line}:${code}`);
}

describe('a broken workflow gives every issue at its line', () => {
  test.each(broken)('%s', (_, text, expected) => {
    expect(issuesOf(text)).toEqual(expected);
  });

  test('D-19: the issue names the key and the native way', () => {
    const message = (text: string): string | undefined => {
      const compiled = compileText({ text, dialect: 'dagu-yaml' });
      return compiled.kind === 'issues' ? compiled.issues[0]?.message : undefined;
    };
    expect(message(step('action: http.request', 'with: { url: x }'))).toBe(
      '`action: http.request` is not run by Setpoint; call it from a command, such as `run: curl --fail address`',
    );
    expect(message(runs('approval: { prompt: x }'))).toContain(
      '`approval` is not run by Setpoint; write a step with `action: human.task`',
    );
    expect(message(step('run: echo ${frist.output.x}'))).toContain('did you mean `first`?');
  });
});

describe('no text costs more than a moment', () => {
  /** The first issue, and the milliseconds of processor time, the least of three: the machine may be busy. */
  const judged = (text: string): [string | undefined, number] => {
    const tries = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      const compiled = compileText({ text, dialect: 'dagu-yaml' });
      const { user, system } = process.cpuUsage(before);
      return [compiled.kind === 'plan' ? 'plan' : compiled.issues[0]?.code, (user + system) / 1000] as const;
    });
    return [tries[0]?.[0], Math.min(...tries.map(([, took]) => took))];
  };
  const many = (count: number, line: (index: number) => string): string =>
    `steps:\n${Array.from({ length: count }, (_, index) => `  - ${line(index)}`).join('\n')}\n`;
  const letters = 'abcdefghi'.split('');
  const bomb = letters
    .map((letter, index) => {
      const inside = Array(10).fill(index === 0 ? 'x' : `*${letters[index - 1] ?? ''}`);
      return `${letter}: &${letter} [${inside.join(', ')}]`;
    })
    .join('\n');

  test.each([
    ['5 MB', `steps:\n${'  - make\n'.repeat(600_000)}`, 'source/too-large', 1000],
    ['aliases of aliases', `${bomb}\nsteps: [make]`, 'source/alias-limit', 5000],
    [
      '10,000 broken steps',
      many(10_000, (at) => `{ id: s${at}, run: "echo \${params.x}", dependz: y }`),
      'definition/too-large',
      5000,
    ],
    [
      '1,000 steps that hand on all that they say',
      many(1000, (at) => `{ id: s${at}, run: make, output: V${at}${at === 0 ? '' : `, depends: s${at - 1}`} }`),
      'definition/too-large',
      5000,
    ],
    [
      '400 steps',
      many(400, (at) => `{ id: s${at}, run: make${at === 0 ? '' : `, depends: s${at - 1}`} }`),
      'plan',
      1000,
    ],
  ])('%s', (_, text, code, withinMs) => {
    const [found, took] = judged(text);
    expect(found).toBe(code);
    expect(took).toBeLessThan(withinMs);
  });
});
