import { describe, expect, test } from 'vitest';

import { issueCodes } from '#core/issue/issue-codes.ts';
import { compileText } from '#dialects/parse.ts';

import { told } from '../../test/fakes/told-issues.ts';

/** Lines 1 to 3 are right; what is broken comes on line 4 and after. */
const right = (...lines: string[]): string =>
  ['prompt: Mend it', 'agent: codex', 'checks: [{ type: test, command: npm test }]', ...lines].join('\n');
/** Lines 1 to 3 are right, and the checks begin on line 4. */
const checks = (...lines: string[]): string =>
  ['prompt: Mend it', 'agent: codex', 'checks:', ...lines.map((line) => `  - ${line}`)].join('\n');

const manyChecks = Array.from({ length: 10_000 }, (_, n) => `{ type: command, command: "echo ${n}" }`);
const bomb = [
  'prompt: &a [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from('bcdefgh', (name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[index]}`).join(', ')}]`),
  'checks: [{ type: test, command: a }]',
];
const json = '{\n  "prompt": "Go",\n  "checks": [\n    { "type": "test", "command": "a", }\n  ]\n';

/** [what, text, every issue as `line:code`] */
const broken: [string, string, string[]][] = [
  ['a list that is not closed', right('name: [x'), ['4:source/syntax']],
  ['JSON that ends early', json, ['6:source/syntax']],
  ['a tab as indentation', 'prompt: Go\nchecks:\n\t- type: test', ['3:source/syntax']],
  ['a key written twice (A14)', right('prompt: Other'), ['4:source/duplicate-key']],
  [
    'a key of a check written twice (A14)',
    checks('{ type: test, command: a, command: b }'),
    ['4:source/duplicate-key'],
  ],
  ['a second document (A14)', right('---', 'prompt: Other'), ['5:source/second-document']],
  ['an anchor bomb', bomb.join('\n'), ['5:source/alias-limit']],
  ['an alias that contains itself', right('name: &a [*a]'), ['4:source/too-deep']],
  ['an unknown key', right('maxIteration: 3'), ['4:definition/unknown-key']],
  ['an unknown key of a check', checks('{ type: test, command: a, timeout: 5 }'), ['4:definition/unknown-key']],
  ['no prompt', 'agent: codex\nchecks: [{ type: test, command: a }]', ['1:definition/missing']],
  ['an empty prompt', 'prompt: ""\nchecks: [{ type: test, command: a }]', ['1:definition/empty']],
  ['no checks', 'prompt: Go\nexitMode: all', ['1:loop/no-signal']],
  ['an empty list of checks', 'prompt: Go\nchecks: []', ['2:loop/no-signal']],
  ['checks that are no list', 'prompt: Go\nchecks: npm test', ['2:definition/wrong-type']],
  ['a check that is a text', checks('npm test'), ['4:definition/wrong-type']],
  ['a check without a type', checks('{ command: a }'), ['4:definition/missing']],
  ['an unknown type of check', checks('{ type: shell, command: a }'), ['4:definition/unknown-value']],
  ['a command check without its command', checks('{ type: command }'), ['4:definition/missing']],
  ['a command that is null', checks('{ type: command, command: null }'), ['4:definition/missing']],
  ['a cap with nothing after it', right('maxIterations:'), ['4:definition/empty']],
  ['a goal check without its goal', checks('{ type: nl-goal, command: a }'), ['4:definition/missing']],
  [
    'an artifact check without its path',
    checks('{ type: artifact }', '{ type: test, command: a }'),
    ['4:definition/missing'],
  ],
  [
    'an artifact outside the repository',
    checks('{ type: artifact, path: ../x }', '{ type: test, command: a }'),
    ['4:workspace/bad-path'],
  ],
  ['nine checks (E-01)', checks(...manyChecks.slice(0, 9)), ['3:definition/out-of-range']],
  ['ten thousand checks', checks(...manyChecks), ['3:definition/out-of-range']],
  [
    'the same check twice',
    checks('{ type: test, command: a }', '{ type: command, command: a }'),
    ['5:check/duplicate-name'],
  ],
  [
    'a check of 31 minutes (E-05)',
    checks('{ type: test, command: a, timeoutMinutes: 31 }'),
    ['4:definition/out-of-range'],
  ],
  ['a check of no time', checks('{ type: test, command: a, timeoutMinutes: 0 }'), ['4:definition/out-of-range']],
  [
    'passes in a row that are none',
    checks('{ type: nl-goal, goal: a, consecutive: 0 }'),
    ['4:definition/out-of-range'],
  ],
  ['an unknown agent', right().replace('codex', 'codx'), ['2:agent/unknown']],
  [
    'an unknown mode, in the words of another regex dialect',
    right("exitMode: '(?i)all'"),
    ['4:definition/unknown-value'],
  ],
  ['an unknown end', right('whenCapHit: stop'), ['4:definition/unknown-value']],
  ['an unknown memory', right('memory: keep'), ['4:definition/unknown-value']],
  ['a cap that is no number', right('maxIterations: NaN'), ['4:definition/wrong-type']],
  ['a cap that is YAML’s NaN', right('maxIterations: .nan'), ['4:definition/wrong-type']],
  ['no iterations', right('maxIterations: 0'), ['4:definition/out-of-range']],
  ['half an iteration', right('maxIterations: 1.5'), ['4:definition/wrong-type']],
  ['a spend that is NaN', right('maxSpendUsd: .nan'), ['4:definition/out-of-range']],
  ['a spend without end', right('maxSpendUsd: .inf'), ['4:definition/out-of-range']],
  ['a negative spend', right('maxSpendUsd: -3'), ['4:definition/out-of-range']],
  ['a spend that is a text', right('maxSpendUsd: "5 USD"'), ['4:definition/wrong-type']],
  ['a spend that cannot bind (R047)', right('maxSpendUsd: 1').replace('codex', 'amp'), ['4:limit/cannot-bind']],
  ['a time that is a text', right('maxTimeMinutes: 2h'), ['4:definition/wrong-type']],
  ['a landing mode', right('landing: auto'), ['4:dialect/not-run']],
  ['the start of the loop', right('run: true'), ['4:dialect/not-run']],
];

describe('a broken exit-check loop', () => {
  test.each(broken)('E-01: %s is an issue with its line, told below a second', (_what, text, expected) => {
    const { issues, tookMs } = told(text);
    const errors = issues.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ line, code }) => `${line}:${code}`)).toEqual(expected);
    for (const { column, code, message } of issues) {
      expect(column).toBeGreaterThan(0);
      expect(Object.keys(issueCodes)).toContain(code);
      expect(message.length).toBeGreaterThan(10);
    }
    expect(tookMs).toBeLessThan(1000);
  });

  test('E-01: all issues come at once, in the order of the text (A14)', () => {
    const text = checks('{ type: tset, command: a }', '{ type: test }', '{ type: nl-goal, goal: a, consecutive: x }');
    const result = compileText({
      text: `${text}\nmaxIterations: 0\nmaxTimeMinutes: 1h\nmemroy: carry`.replace('codex', 'codx'),
    });
    expect(result.kind === 'issues' && result.issues.map(({ line, code }) => `${line}:${code}`)).toEqual([
      '2:agent/unknown',
      '4:definition/unknown-value',
      '5:definition/missing',
      '6:definition/wrong-type',
      '7:definition/out-of-range',
      '8:definition/wrong-type',
      '9:definition/unknown-key',
    ]);
  });

  test('E-01: what the original knows and is not run names the native way', () => {
    const messages = (line: string): string[] => {
      const result = compileText({ text: right(line) });
      return result.kind === 'plan' ? [] : result.issues.map(({ message }) => message);
    };
    expect(messages('landing: auto')[0]).toContain('`deliver` in the native form');
    expect(messages('run: true')[0]).toContain('setpoint run FILE');
    expect(messages('template: docs')[0]).toContain('setpoint init');
    expect(messages('maxIteration: 3')).toEqual(['unknown key `maxIteration`; did you mean `maxIterations`?']);
  });
});
