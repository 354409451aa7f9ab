import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { renderPrompt } from '#core/template/render.ts';
import { compileText } from '#dialects/parse.ts';

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), 'utf8');

function compiled(text: string) {
  const result = compileText({ text, file: 'flows/shrink.yaml' });
  if (result.kind === 'issues') throw new TypeError(JSON.stringify(result.issues));
  expect(result.dialect).toBe('conditions');
  return result;
}

const planOf = (text: string): Plan => compiled(text).plan;
const warningsOf = (text: string): string[] => compiled(text).warnings.map(({ path, code }) => `${path} ${code}`);
const end = (...keys: string[]): string =>
  `steps: [{ prompt: Go., endCondition: { ${['script: a', 'returns: "true"', ...keys].join(', ')} } }]`;
const pre = (...keys: string[]): string =>
  `steps: [{ prompt: Go., preCondition: { ${['script: a', 'returns: "true"', ...keys].join(', ')} } }]`;
const loopOf = (text: string) => planOf(text).steps[0]?.loop;

const found = {
  'condition.stdout': 'out {{x}} {stderr}',
  'condition.stderr': 'err',
  'condition.exitCode': '1',
  'condition.actual': 'false',
  'condition.expected': 'true',
  'condition.compareSource': 'auto',
};
/** What the agent would be asked after a failed or a passed validation. */
const asked = (text: string, after: 'fail' | 'pass', step = 0): string =>
  renderPrompt(planOf(text).steps[step]?.loop?.prompts?.[after] ?? '', found);

describe('a workflow of prompts with conditions', () => {
  test('C-01: the steps come one after the other, in the checkout itself; nothing is delivered', () => {
    const plan = planOf(fixture('every-key.yaml'));
    expect(plan).toMatchObject({
      name: 'Every key',
      workspace: { worktree: false },
      deliver: { mode: 'none' },
      baseline: 'off',
      limits: { timeSeconds: 3600, spendUsd: 5, noProgress: 0 },
      steps: [
        { id: 'step-1', name: 'Step 1', after: [] },
        { id: 'step-2', name: 'Step 2', after: ['step-1'] },
      ],
    });
    expect(plan.steps.map(({ work }) => work.kind === 'agent' && work.agent.name)).toEqual(['codex', 'codex']);
    const short = planOf('steps: [{ prompt: Go. }, { prompt: And on. }]');
    expect(short).toMatchObject({
      name: 'shrink',
      steps: [{ work: { agent: { name: 'auto', session: 'fresh' } } }, {}],
    });
    expect(short.limits.timeSeconds).toBeUndefined();
  });

  test('C-02: every key of the end condition says what it says', () => {
    expect(loopOf(fixture('validated.yaml'))).toMatchObject({
      on: 'pass',
      limit: 2,
      repeat: {
        condition: { command: 'npm test', compare: 'exitCode', returns: '0', timeSeconds: 60 },
        onError: 'unmet',
        met: 'continue',
        unmet: 'again',
      },
      onExhausted: 'fail',
      onExhaustedMet: 'succeed',
    });
    expect(asked(fixture('validated.yaml'), 'fail')).toBe(
      'Validation failed.\nstdout:\nout {{x}} {stderr}\n\nstderr:\nerr\n',
    );
  });

  test('C-02, C-03: what is not written has its default: auto, a minute, three retries', () => {
    expect(loopOf(end())).toMatchObject({ limit: 3, repeat: { condition: { compare: 'auto', timeSeconds: 60 } } });
    const unquoted = 'steps: [{ prompt: Go., endCondition: { script: a, returns: true } }]';
    expect(loopOf(unquoted)?.repeat?.condition?.returns).toBe('true');
  });

  test.each([
    ['onPass: continue', 'onFail: retry', 'continue', 'again'],
    ['onPass: retry', 'onFail: continue', 'again', 'continue'],
    ['onPass: stopWorkflow', 'onFail: continue', 'stop', 'continue'],
    ['onPass: continue', 'onFail: stopWorkflow', 'continue', 'stop'],
    ['onPass: retry', 'onFail: retry', 'again', 'again'],
  ])('C-04: %s, %s', (onPass, onFail, met, unmet) => {
    expect(loopOf(end(onPass, onFail))?.repeat).toMatchObject({ met, unmet });
    expect(loopOf(end())?.repeat).toMatchObject({ met: 'continue', unmet: 'again' });
  });

  test('C-05: retries go on in the session, unless the file says otherwise', () => {
    const sessions = (text: string) =>
      planOf(text).steps.map(({ work }) => (work.kind === 'agent' ? work.agent.session : work.kind));
    expect(sessions(end())).toEqual(['resume']);
    expect(sessions(end('resumeSessionOnRetry: true'))).toEqual(['resume']);
    expect(sessions(end('resumeSessionOnRetry: false'))).toEqual(['fresh']);
  });

  test('C-05: a failure is told in its own words, else in those of the settings, else with what was found', () => {
    const file = fixture('every-key.yaml');
    expect(asked(file, 'fail', 0)).toBe('It gave false in place of true (by auto, exit 1).');
    expect(asked(file, 'fail', 1)).toBe('It became slower:\nerr');
    expect(asked(end(), 'fail')).toBe(
      'Go.\n\nThe validation of this step failed: it expects true, and found false.\n\nstdout:\nout {{x}} {stderr}\n\nstderr:\nerr',
    );
  });

  test("C-06: a pass is retried with its own words, else those of the settings, else the step's own prompt", () => {
    expect(asked(fixture('every-key.yaml'), 'pass', 1)).toBe('Faster still.');
    const settings = 'settings: { passRetryPrompt: "Again: {stdout}" }\n';
    expect(asked(`${settings}${end('onPass: retry')}`, 'pass')).toBe('Again: out {{x}} {stderr}');
    expect(loopOf(end('onPass: retry'))?.prompts?.pass).toBeUndefined();
  });

  test('C-07, C-08, C-14: one budget; running out of it succeeds while it passes, and fails otherwise', () => {
    expect(loopOf(end('onPass: retry', 'maxRetries: 5'))).toMatchObject({
      limit: 5,
      onExhausted: 'fail',
      onExhaustedMet: 'succeed',
    });
    expect(loopOf(end('maxRetries: 0'))).toMatchObject({ limit: 0 });
  });

  test('C-15: -1 is unlimited beside a time or spend limit, and only there', () => {
    expect(loopOf(`limits: { timeout: 1000 }\n${end('maxRetries: -1')}`)).toMatchObject({ limit: null });
    expect(loopOf(`limits: { maxSpendUsd: 1 }\n${end('maxRetries: -1')}`)).toMatchObject({ limit: null });
    const result = compileText({ text: end('maxRetries: -1') });
    expect(result.kind === 'issues' && result.issues).toMatchObject([
      { code: 'loop/unbounded', path: 'steps.0.endCondition.maxRetries', line: 1 },
    ]);
  });

  test('C-10: the regression-test recipe is read as written; YAML ends its unquoted prompt at ` #`', () => {
    const plan = planOf(fixture('regression-test.yaml'));
    expect(plan.steps[0]?.work).toMatchObject({ prompt: 'Write a regression test for issue' });
    expect(plan.steps[0]?.loop).toMatchObject({
      limit: 3,
      repeat: { condition: { command: 'npm test', compare: 'auto', returns: 'true' }, met: 'again', unmet: 'continue' },
      prompts: { pass: expect.stringContaining('does not reproduce the bug.\nStrengthen') },
    });
    expect(plan.steps[0]?.loop?.prompts?.fail).toBeUndefined();
    expect(warningsOf(fixture('regression-test.yaml'))).toEqual(['steps.0.prompt source/cut-by-comment']);
    const quoted = fixture('regression-test.yaml').replace(/prompt: (.*)/, 'prompt: "$1"');
    expect(planOf(quoted).steps[0]?.work).toMatchObject({
      prompt: 'Write a regression test for issue #123. Do not fix the bug.',
    });
    expect(warningsOf(quoted)).toEqual([]);
  });

  test('C-01, R037: a comment that is written as one, and a `#` inside of a word or of quotes, is nothing to be told', () => {
    const text = `steps:\n  - prompt: Mend C# and issue#123 # the second\n  - prompt: 'see #5'\n  - prompt: |\n      see #6\n`;
    expect(warningsOf(text)).toEqual([]);
    expect(warningsOf('steps: [{ prompt: see #5\n }]')).toEqual(['steps.0.prompt source/cut-by-comment']);
  });

  test.each([
    [pre(), 'met leads on, else it is skipped', { onUnmet: 'skip' }, undefined],
    [pre('onFail: stopWorkflow'), 'met leads on, else it stops', { onUnmet: 'stop' }, undefined],
    [pre('onPass: skip', 'onFail: continue'), 'met skips', { onUnmet: 'skip' }, true],
    [pre('onPass: stopWorkflow', 'onFail: continue'), 'met stops', { onUnmet: 'stop' }, true],
  ])('C-11: %s: %s', (text, _what, when, negate) => {
    const written = planOf(text).steps[0]?.when;
    expect(written).toMatchObject(when);
    expect(written?.condition.negate).toBe(negate);
  });

  test('C-11, C-13: a pre-condition that could not be judged lets nothing be prompted on a guess', () => {
    expect(planOf(pre('timeout: 1500')).steps[0]?.when).toMatchObject({
      onError: 'fail',
      condition: { timeSeconds: 1.5, compare: 'auto' },
    });
  });

  test('C-12: placeholders are inserted; any other text stays, whatever braces it holds', () => {
    const text = (words: string) => end(`retryPrompt: '${words}'`);
    const said = (words: string) => asked(text(words), 'fail');
    expect(said('{stdout}{stderr}|{exitCode}|{actual}|{expected}|{compareSource}')).toBe(
      'out {{x}} {stderr}err|1|false|true|auto',
    );
    expect(said('{x} {Stdout} { stdout } {} {{feedback}} {{#if x}} \\{{')).toBe(
      '{x} {Stdout} { stdout } {} {{feedback}} {{#if x}} \\{{',
    );
    expect(said('{{stdout}} \\{stdout} {stderr}}')).toBe('{{stdout}} \\{stdout} err}');
  });

  test('C-01, A11: prompts and scripts are texts: braces in them are no templates', () => {
    const plan = planOf(
      `steps: [{ prompt: "Keep {{feedback}}", endCondition: { script: "docker ps --format '{{.Names}}'", returns: "0" } }]`,
    );
    const [step] = plan.steps;
    expect(renderPrompt(step?.work.kind === 'agent' ? step.work.prompt : '', {})).toBe('Keep {{feedback}}');
    const command = step?.loop?.repeat?.condition?.command ?? '';
    expect(renderPrompt(command, {})).toBe("docker ps --format '{{.Names}}'");
  });

  test('C-04, C-11: what changes nothing is told where it stands', () => {
    expect(warningsOf(end('onFail: continue', 'maxRetries: 2', 'retryPrompt: x'))).toEqual([
      'steps.0.endCondition.maxRetries dialect/no-effect',
      'steps.0.endCondition.retryPrompt dialect/no-effect',
    ]);
    expect(warningsOf(end('passRetryPrompt: x'))).toEqual(['steps.0.endCondition.passRetryPrompt dialect/no-effect']);
    expect(warningsOf(pre('onFail: continue'))).toEqual(['steps.0.preCondition dialect/no-effect']);
    expect(warningsOf(fixture('every-key.yaml'))).toEqual([]);
  });
});

test('the file of the guide is one that nothing is said against', () => {
  const guide = fileURLToPath(new URL('../../docs/guide/coming-from-conditions.md', import.meta.url));
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? [];
  expect(warningsOf(text)).toEqual([]);
});
