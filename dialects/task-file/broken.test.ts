import { describe, expect, test } from 'vitest';

import { issueCodes } from '#core/issue/issue-codes.ts';
import { compileText } from '#dialects/parse.ts';

const gate = '{ "type": "command", "name": "tests", "command": "npm test" }';

/** A file whose lines 1 to 3 are right; each further key stands on a line of its own, from line 4 on. */
function task(...more: string[]): string {
  return ['{ "name": "x",', '"goal": "Mend it.",', [`"verification": [${gate}]`, ...more].join(',\n'), '}'].join('\n');
}

/** Gates from line 3 on, one a line. */
function gates(...written: string[]): string {
  return ['{ "goal": "Mend it.",', '"verification": [', written.join(',\n'), '] }'].join('\n');
}

/** [what, text, every issue as `line:code`] */
const broken: [string, string, string[]][] = [
  ['an object that is not closed', '{ "goal": "x", "verification": [', ['1:source/syntax']],
  ['a key written twice', task('"goal": "y"'), ['4:source/duplicate-key']],
  ['a second document', `${task()}\n---\n${task()}`, ['6:source/second-document']],
  ['a file without goal', `{ "verification": [${gate}] }`, ['1:definition/missing']],
  ['an empty goal', `{ "goal": "",\n"verification": [${gate}] }`, ['1:definition/empty']],
  ['a goal that is a list', `{ "goal": ["x"],\n"verification": [${gate}] }`, ['1:definition/wrong-type']],
  ['T-05: a file without gates', '{ "goal": "x" }', ['1:loop/no-signal']],
  ['T-05: an empty list of gates', gates(''), ['2:loop/no-signal']],
  ['gates that are an object', '{ "goal": "x",\n"verification": {} }', ['2:definition/wrong-type']],
  ['a gate that is text', gates('"npm test"'), ['3:definition/wrong-type']],
  ['a command gate without command', gates('{ "type": "command", "name": "a" }'), ['3:definition/missing']],
  ['an agent gate without prompt', gates('{ "type": "agent", "name": "a" }'), ['3:definition/missing']],
  ['an unknown type of gate', gates('{ "type": "comand", "command": "x" }'), ['3:definition/unknown-value']],
  ['a prompt in a command gate', gates('{ "command": "x", "prompt": "y" }'), ['3:definition/conflict']],
  [
    'two gates of one name',
    gates('{ "name": "a", "command": "x" }', '{ "name": "a", "command": "y" }'),
    ['4:check/duplicate-name'],
  ],
  ['an unknown key, with the nearest one', task('"verifcation": []'), ['4:definition/unknown-key']],
  ['an unknown key of a gate', gates('{ "command": "x", "timeout": 5 }'), ['3:definition/unknown-key']],
  ['an unknown key of the limits', task('"limits": { "maxIteration": 3 }'), ['4:definition/unknown-key']],
  ['T-02: an unknown provider', task('"agent": { "provider": "codx" }'), ['4:definition/unknown-value']],
  [
    'T-02: an unknown provider of a gate',
    gates('{ "type": "agent", "provider": "gpt", "prompt": "x" }'),
    ['3:definition/unknown-value'],
  ],
  ['an unknown access', task('"agent": { "sandbox": "workspace" }'), ['4:definition/unknown-value']],
  [
    'full access, which is a matter of the host',
    task('"agent": { "sandbox": "danger-full-access" }'),
    ['4:dialect/not-run'],
  ],
  ['T-21: an agent in both forms', task('"agent": {}', '"codex": {}'), ['5:definition/conflict']],
  ['a provider in the older form', task('"codex": { "provider": "pi" }'), ['4:definition/unknown-key']],
  ['arguments as one text', task('"agent": { "extraArgs": "--fast" }'), ['4:definition/wrong-type']],
  ['a limit that is no number', task('"limits": { "maxIterations": NaN }'), ['4:definition/wrong-type']],
  ['a limit in quotes', task('"limits": { "timeoutSeconds": "30m" }'), ['4:definition/wrong-type']],
  ['no iterations', task('"limits": { "maxIterations": 0 }'), ['4:definition/out-of-range']],
  ['half a second', task('"limits": { "timeoutSeconds": 0.5 }'), ['4:definition/wrong-type']],
  ['a flag in words', task('"worktree": { "enabled": "yes" }'), ['4:definition/wrong-type']],
  ['an unknown strategy', task('"sessionStrategy": "keep"'), ['4:definition/unknown-value']],
  ['an unknown way of delivery', task('"delivery": { "mode": "push" }'), ['4:definition/unknown-value']],
  [
    'T-12: a delivery without a worktree',
    task('"worktree": { "enabled": false }', '"delivery": { "mode": "commit" }'),
    ['5:deliver/needs-worktree'],
  ],
  [
    'a pull request, which is not delivered yet',
    task('"delivery": { "mode": "pr", "title": "x" }'),
    ['4:definition/not-yet'],
  ],
  [
    'several at once',
    task('"agent": { "provider": "x" }', '"limits": { "maxIterations": 0 }', '"x": 1'),
    ['4:definition/unknown-value', '5:definition/out-of-range', '6:definition/unknown-key'],
  ],
];

function errorsOf(text: string): string[] {
  const compiled = compileText({ text });
  const found = compiled.kind === 'plan' ? [] : compiled.issues.filter(({ severity }) => severity === 'error');
  return found.map(({ line, code }) => `${line}:${code}`);
}

describe('task files: every issue at once, with its line', () => {
  test.each(broken)('%s', (_what, text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
    for (const issue of expected) expect(issueCodes).toHaveProperty([issue.split(':')[1] ?? '']);
  });

  test('full access names what contains an agent here', () => {
    const compiled = compileText({ text: task('"agent": { "sandbox": "danger-full-access" }') });
    expect(compiled.kind === 'issues' && compiled.issues[0]).toMatchObject({
      path: 'agent.sandbox',
      message: expect.stringContaining('SETPOINT_SANDBOX'),
    });
  });

  test('five megabytes and aliases of aliases are refused, and 10,000 gates read, in a moment', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `{ "name": "g${index}", "command": "true" }`);
    const bomb = `goal: x\na: &a [x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e', 'f', 'g'].map((letter, index) => `${letter}: &${letter} [${Array(8).fill(`*${'abcdef'[index]}`).join(', ')}]`).join('\n')}\n`;
    for (const text of [gates(...many), task(`"x": "${'y'.repeat(5_000_000)}"`), bomb]) {
      const started = performance.now();
      expect(errorsOf(text)).toHaveLength(text.includes('"g9999"') ? 0 : 1);
      expect(performance.now() - started).toBeLessThan(12_000);
    }
  });
});
