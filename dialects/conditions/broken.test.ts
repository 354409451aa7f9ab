import { describe, expect, test } from 'vitest';

import { issueCodes } from '#core/issue/issue-codes.ts';
import { compileText } from '#dialects/parse.ts';

import { told } from '../../test/fakes/told-issues.ts';

/** Lines 1 to 4 are right; what is broken comes on line 5 and after. */
const right = (...lines: string[]): string =>
  ['steps:', '  - prompt: Go', '    endCondition: { script: npm test, returns: "0" }', 'agent: codex', ...lines].join(
    '\n',
  );
/** The end condition's keys begin on line 4, beside a script on line 3. */
const end = (...lines: string[]): string =>
  ['steps:', '  - prompt: Go', '    endCondition:', ...lines.map((line) => `      ${line}`)].join('\n');
/** The same with a right script on lines 4 and 5. */
const ended = (...lines: string[]): string => end('script: npm test', 'returns: "true"', ...lines);
const pre = (...lines: string[]): string => ended(...lines).replace('endCondition', 'preCondition');

const manySteps = Array.from(
  { length: 10_000 },
  (_, n) => `  - { prompt: Go ${n}, endCondition: { script: a, returns: x } }`,
);
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from('bcdefgh', (name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[index]}`).join(', ')}]`),
  ...right().split('\n'),
];

/** [what, text, every issue as `line:code`] */
const broken: [string, string, string[]][] = [
  ['a mapping that is not closed', right('settings: {a: 1'), ['5:source/syntax']],
  ['a tab as indentation', 'steps:\n\t- prompt: Go', ['2:source/syntax']],
  ['a key written twice (A14)', ended('script: other'), ['6:source/duplicate-key']],
  ['a second document (A14)', right('---', 'steps: [{ prompt: x }]'), ['6:source/second-document']],
  ['another version of YAML (A14)', `%YAML 1.1\n---\n${right()}`, ['1:source/syntax']],
  ['an unknown tag', right('name: !secret x'), ['5:source/tag']],
  ['an anchor bomb', bomb.join('\n'), ['5:source/alias-limit']],
  ['an unknown key', right('setings: {}'), ['5:definition/unknown-key']],
  ['an unknown key of a step', 'steps:\n  - { prompt: Go, promt: x }', ['2:definition/unknown-key']],
  ['an unknown key of a condition', ended('maxRetry: 2'), ['6:definition/unknown-key']],
  ['a step without a prompt', 'steps:\n  - { preCondition: { script: a, returns: "0" } }', ['2:definition/missing']],
  ['an empty prompt', 'steps:\n  - { prompt: "" }', ['2:definition/empty']],
  ['a step that is a text', right('  - x').replace('agent: codex\n', ''), ['4:definition/wrong-type']],
  ['a condition that is a text', 'steps:\n  - { prompt: Go, endCondition: npm test }', ['2:definition/wrong-type']],
  ['a condition without a script', end('returns: "0"'), ['3:definition/missing']],
  ['a condition without what it returns', end('script: a'), ['3:definition/missing']],
  ['an empty script', end('script:', 'returns: "0"'), ['4:definition/empty']],
  ['an unknown source', ended('compareSource: both'), ['6:definition/unknown-value']],
  [
    'a source in the words of another regex dialect',
    ended("compareSource: '(?i)stdout'"),
    ['6:definition/unknown-value'],
  ],
  ['an exit code above 255 (A14)', end('script: a', 'returns: "256"'), ['5:definition/out-of-range']],
  ['an exit code that is a word', ended('compareSource: exitCode'), ['5:definition/out-of-range']],
  ['an exit code with a sign', end('script: a', 'returns: -1'), ['5:definition/out-of-range']],
  ['an unknown action', ended('onFail: skip'), ['6:definition/unknown-value']],
  ['an unknown action before a step', pre('onFail: retry'), ['6:definition/unknown-value']],
  ['retries that are NaN', ended('maxRetries: .nan'), ['6:definition/wrong-type']],
  ['retries below -1', ended('maxRetries: -2'), ['6:definition/out-of-range']],
  ['unlimited retries without a limit (C-15)', ended('maxRetries: -1'), ['6:loop/unbounded']],
  ['no time', ended('timeout: 0'), ['6:definition/out-of-range']],
  ['a time with a unit', ended('timeout: 60s'), ['6:definition/wrong-type']],
  ['a time of more than a day', ended('timeout: 86400001'), ['6:definition/out-of-range']],
  ['a flag in words', ended('resumeSessionOnRetry: no'), ['6:definition/wrong-type']],
  ['an empty retry prompt', ended('retryPrompt: ""'), ['6:definition/empty']],
  ['a prompt that is never asked', pre('onPass: skip'), ['3:definition/conflict']],
  ['an unknown agent', right().replace('codex', 'codx'), ['4:agent/unknown']],
  ['a spend that is NaN', right('limits: { maxSpendUsd: .nan }'), ['5:definition/out-of-range']],
  [
    'a spend that cannot bind (R047)',
    right('limits: { maxSpendUsd: 1 }').replace('codex', 'amp'),
    ['5:limit/cannot-bind'],
  ],
  ['a run of no time', right('limits: { timeout: -1 }'), ['5:definition/out-of-range']],
  ['settings that are a text', right('settings: x'), ['5:definition/wrong-type']],
  ['an agent with a model', right('model: o3'), ['5:dialect/not-run']],
  ['variables', right('env: { A: b }'), ['5:dialect/not-run']],
  ['ten thousand steps', ['steps:', ...manySteps].join('\n'), ['1:definition/too-large']],
];

describe('a broken workflow of prompts', () => {
  test.each(broken)('C-01: %s is an issue with its line, told below a second', (_what, text, expected) => {
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

  test('C-01: no step is an issue of this dialect when it is named', () => {
    const result = compileText({ text: 'agent: codex\nsteps: []', dialect: 'conditions' });
    expect(result.kind === 'issues' && result.issues.map(({ line, code }) => `${line}:${code}`)).toEqual([
      '2:definition/empty',
    ]);
    const missing = compileText({ text: 'agent: codex', dialect: 'conditions' });
    expect(missing.kind === 'issues' && missing.issues.map(({ code }) => code)).toEqual(['definition/missing']);
  });

  test('C-01: all issues come at once, in the order of the text (A14)', () => {
    const text = ended('onFail: redo', 'maxRetries: 1.5', 'retry_prompt: x');
    const result = compileText({
      text: `${text}\n  - { preCondition: { script: a } }\nagent: codx\nlimits: { timeout: 1h }`,
    });
    expect(result.kind === 'issues' && result.issues.map(({ line, code }) => `${line}:${code}`)).toEqual([
      '6:definition/unknown-value',
      '7:definition/wrong-type',
      '8:definition/unknown-key',
      '9:definition/missing',
      '9:definition/missing',
      '10:agent/unknown',
      '11:definition/wrong-type',
    ]);
  });

  test('C-01: what is not run names the native way; a key that is nearly right, the right one', () => {
    const messages = (text: string): string[] => {
      const result = compileText({ text });
      return result.kind === 'plan' ? [] : result.issues.map(({ message }) => message);
    };
    expect(messages(right('model: o3'))[0]).toContain('`agent: {name, model}`');
    expect(messages(ended('maxRetires: 2'))).toEqual(['unknown key `maxRetires`; did you mean `maxRetries`?']);
  });
});
