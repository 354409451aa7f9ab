import { describe, expect, test } from 'vitest';

import { issueCodes } from '#core/issue/issue-codes.ts';
import { compileText } from '#dialects/parse.ts';

const right = '{ "id": "a", "type": "shell", "command": "make", "dependsOn": [] }';

/** A file whose lines 1 to 3 are right; each further step stands on a line of its own, from line 4 on. */
function steps(...more: string[]): string {
  return ['{ "name": "x",', '  "steps": [', [right, ...more].join(',\n'), '] }'].join('\n');
}

function agent(keys: string): string {
  return `{ "id": "b", "name": "Fix", "type": "agent", "harnessId": "codex", "prompt": "p", ${keys} }`;
}

function top(key: string): string {
  return `{ ${key},\n"steps": [${right}] }`;
}

/** [what, text, every issue as `line:code`] */
const broken: [string, string, string[]][] = [
  ['an object that is not closed', '{ "steps": [ {"id": "a", "type": "shell"', ['1:source/syntax']],
  [
    'a key written twice',
    steps('{ "id": "b", "id": "c", "type": "shell", "command": "x" }'),
    ['4:source/duplicate-key'],
  ],
  ['a second document', `${steps()}\n---\n${steps()}`, ['6:source/second-document']],
  ['no steps at all', '{ "vars": {}, "steps": [], "name": "x" }', ['1:definition/empty']],
  ['steps that are text', `{ "name": "x",\n"steps": "a" }`, ['2:definition/wrong-type']],
  ['a step that is text', steps('"make"'), ['4:definition/wrong-type']],
  ['an unknown key, with the nearest one', steps(agent('"loopBack": "a"')), ['4:definition/unknown-key']],
  ['an unknown key at the top', top('"step": []'), ['1:definition/unknown-key']],
  ['an unknown type', steps('{ "id": "b", "type": "shel", "command": "x" }'), ['4:definition/unknown-value']],
  ['a step without a type', steps('{ "id": "b", "command": "x" }'), ['4:definition/missing']],
  ['a step without an id', steps('{ "type": "shell", "command": "x" }'), ['4:definition/missing']],
  [
    'an agent step without harness and prompt',
    steps('{ "id": "b", "type": "agent" }'),
    ['4:definition/missing', '4:definition/missing'],
  ],
  ['a shell step without a command', steps('{ "id": "b", "type": "shell", "command": "" }'), ['4:definition/missing']],
  [
    'a prompt in a shell step',
    steps('{ "id": "b", "type": "shell", "command": "x", "prompt": "y" }'),
    ['4:definition/conflict'],
  ],
  ['a command in an approval', steps('{ "id": "b", "type": "approval", "command": "x" }'), ['4:definition/conflict']],
  [
    'an unknown harness',
    steps('{ "id": "b", "type": "agent", "harnessId": "codx", "prompt": "p" }'),
    ['4:agent/unknown'],
  ],
  [
    'an API harness',
    steps('{ "id": "b", "type": "agent", "harnessId": "openai-api", "prompt": "p" }'),
    ['4:dialect/not-run'],
  ],
  ['V-10: an invalid pattern', steps(agent('"passPattern": "("')), ['4:pattern/invalid']],
  ['R001: an empty pattern, which would match everything', steps(agent('"passPattern": ""')), ['4:pattern/empty']],
  ['V-10: a pattern with inline flags', steps(agent('"failPattern": "(?i)blocked"')), ['4:pattern/foreign']],
  ['V-27: a loop to a step that is not there', steps(agent('"loopBackTo": "aa"')), ['4:step/unknown']],
  ['a dependency that is not there', steps(agent('"dependsOn": ["c"]')), ['4:step/unknown']],
  [
    'two steps that wait for each other',
    steps(agent('"dependsOn": ["c"]'), '{ "id": "c", "type": "shell", "command": "x", "dependsOn": ["b"] }'),
    ['4:step/cycle'],
  ],
  ['two steps of one id', steps('{ "id": "a", "type": "shell", "command": "x" }'), ['3:step/duplicate-id']],
  ['an id that no template can name', steps('{ "id": "b c", "type": "shell", "command": "x" }'), ['4:step/bad-id']],
  ['a limit that is no number', steps(agent('"loopBackTo": "a", "maxLoops": NaN')), ['4:definition/wrong-type']],
  ['a limit in quotes', steps(agent('"loopBackTo": "a", "maxLoops": "two"')), ['4:definition/wrong-type']],
  ['a limit below zero', steps(agent('"loopBackTo": "a", "maxLoops": -1')), ['4:definition/out-of-range']],
  ['a time of no minutes', steps(agent('"timeoutMinutes": 0')), ['4:definition/out-of-range']],
  ['a flag in words', steps(agent('"continueOnError": "yes"')), ['4:definition/wrong-type']],
  [
    'V-20: an unknown root',
    steps('{ "id": "b", "type": "shell", "command": "echo {{inputs.x}}" }'),
    ['4:template/unknown-root'],
  ],
  [
    'V-20: a variable that is not there',
    steps('{ "id": "b", "type": "shell", "command": "echo {{vars.x}}" }'),
    ['4:template/unknown-input'],
  ],
  [
    'V-20: a step that is not there',
    steps('{ "id": "b", "type": "shell", "command": "echo {{steps.c.output}}" }'),
    ['4:template/unknown-step'],
  ],
  [
    'V-20: an answer of what asks nobody',
    steps('{ "id": "b", "type": "shell", "command": "echo {{steps.a.comment}}" }'),
    ['4:template/unknown-output'],
  ],
  [
    'V-20: a count of loops, which is no value',
    steps('{ "id": "b", "type": "shell", "command": "echo {{run.loops}}" }'),
    ['4:template/unknown-root'],
  ],
  [
    'V-20: an unknown filter',
    steps('{ "id": "b", "type": "shell", "command": "echo {{run.id | upper}}" }'),
    ['4:template/unknown-filter'],
  ],
  [
    'V-20: a block that is not closed',
    steps(agent('"name2": 1')).replace('"p", "name2": 1', '"{{#if run.id}}x"'),
    ['4:template/unclosed-if'],
  ],
  [
    'V-20: a value inside quotes of a command',
    steps('{ "id": "b", "type": "shell", "command": "echo \'{{run.id}}\'" }'),
    ['4:template/insertion-in-quotes'],
  ],
  ['variables that are a list', top('"vars": ["a"]'), ['1:definition/wrong-type']],
  ['a variable that is a list', top('"vars": { "a": [1] }'), ['1:definition/wrong-type']],
  [
    'two names that would be one',
    top('"vars": { "issue-key": "a" }, "issue": { "key": "b" }'),
    ['1:definition/conflict'],
  ],
  ['a name that no template can name', top('"vars": { "a b": "c" }'), ['1:input/bad-name']],
  [
    'several at once',
    steps(agent('"passPattern": "(", "loopBackTo": "aa"'), '{ "id": "c", "type": "shell" }'),
    ['4:pattern/invalid', '4:step/unknown', '5:definition/missing'],
  ],
];

function errorsOf(text: string): string[] {
  const compiled = compileText({ text });
  const found = compiled.kind === 'plan' ? [] : compiled.issues.filter(({ severity }) => severity === 'error');
  return found.map(({ line, code }) => `${line}:${code}`);
}

describe('verdict steps: every issue at once, with its line', () => {
  test.each(broken)('%s', (_what, text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
    for (const issue of expected) expect(issueCodes).toHaveProperty([issue.split(':')[1] ?? '']);
  });

  test('V-10: the message names the step, as its users know it', () => {
    const compiled = compileText({ text: steps(agent('"passPattern": "("')) });
    expect(compiled.kind === 'issues' && compiled.issues[0]).toMatchObject({
      path: 'steps.1.passPattern',
      message: expect.stringMatching(/^Step "Fix": invalid regex/),
    });
  });

  test('an unknown key names the nearest known one; an API harness names the way that there is', () => {
    const messages = (text: string) => {
      const compiled = compileText({ text });
      return compiled.kind === 'issues' ? compiled.issues.map(({ message }) => message) : [];
    };
    expect(messages(steps(agent('"loopBack": "a"')))[0]).toContain('did you mean `loopBackTo`?');
    expect(messages(steps('{ "id": "b", "type": "agent", "harnessId": "openai", "prompt": "p" }'))[0]).toMatch(
      /such as `claude`.*`shell` step/,
    );
  });

  test('10,000 steps and five megabytes are answered in a moment', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `{"id":"s${index}","type":"shell","command":"x"}`);
    for (const text of [steps(...many), `{"steps":[{"id":"a","type":"shell","command":"${'x'.repeat(5_000_000)}"}]}`]) {
      const started = performance.now();
      expect(errorsOf(text).length).toBeGreaterThan(0);
      expect(performance.now() - started).toBeLessThan(12_000);
    }
  });
});
