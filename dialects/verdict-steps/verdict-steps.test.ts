import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { Issue } from '#core/issue/issue.ts';
import type { Plan } from '#core/plan/plan.ts';
import { reviewRequest, verdictPatterns, verdictRequest } from '#dialects/native/verdict-prompt.ts';
import { compileText } from '#dialects/parse.ts';

function compiled(value: object): { plan: Plan; warnings: Issue[] } {
  const result = compileText({ text: JSON.stringify(value), file: 'loops/from-file.json' });
  if (result.kind === 'plan') return result;
  throw new TypeError(JSON.stringify(result.issues));
}

const stepOf = (value: object): Plan['steps'][number] | undefined => compiled({ steps: [value] }).plan.steps[0];
const agent = { id: 'a', type: 'agent', harnessId: 'codex', prompt: 'Do it.' };
const shell = { id: 'a', type: 'shell', command: 'make' };
const approval = { id: 'a', type: 'approval' };

describe('verdict steps', () => {
  test('V-01: a definition is known by its shape, and every key of it has its place in the plan', () => {
    const text = readFileSync('dialects/verdict-steps/fixtures/everything.json', 'utf8');
    const result = compileText({ text });
    if (result.kind === 'issues') throw new TypeError(JSON.stringify(result.issues));
    expect(result.dialect).toBe('verdict-steps');
    expect(result.plan).toMatchObject({
      name: 'Every key',
      workspace: { base: 'develop', worktree: true },
      limits: { noProgress: 0 },
      baseline: 'off',
      deliver: { mode: 'branch' },
      steps: [
        { id: 'a', name: 'First', after: [], work: { kind: 'agent', agent: { name: 'gemini' } } },
        { id: 'b', after: ['a'], timeSeconds: 90, retry: { on: 'notVerdict', limit: 3 } },
        { id: 'c', match: { pass: '\\b0 failed\\b', fail: '^BLOCKED:' }, continueOnError: true },
        { id: 'd', after: ['b', 'c'], work: { kind: 'person', time: { limitSeconds: 3600, onExpiry: 'fail' } } },
        { id: 'e', work: { command: 'echo {{steps.d.outputs.comment}} {{steps.d.outputs.decidedBy}}' } },
      ],
    });
    expect(result.plan.limits.timeSeconds).toBeUndefined();
  });

  test('V-01: what may be left out has its default; a null is the same as no key', () => {
    const bare = compiled({ steps: [shell] }).plan;
    expect(bare).toMatchObject({
      name: 'from-file',
      inputs: {},
      steps: [{ name: 'a', after: [], continueOnError: false }],
    });
    const nulls = {
      ...shell,
      name: null,
      dependsOn: null,
      passPattern: null,
      loopBackTo: null,
      maxLoops: null,
      retries: null,
    };
    expect(compiled({ steps: [nulls], vars: null, issue: null, baseBranch: null }).plan).toEqual(bare);
    expect(stepOf({ ...shell, name: '', loopBackTo: '' })).toEqual(bare.steps[0]);
  });

  test.each([
    ['codex', 'codex'],
    ['claude', 'claude'],
    ['claude-code', 'claude'],
    ['gemini', 'gemini'],
    ['gemini-cli', 'gemini'],
    ['cursor-agent', 'cursor'],
    ['copilot', 'copilot'],
    ['opencode', 'opencode'],
    ['amp', 'amp'],
    ['goose', 'goose'],
    ['aider', 'aider'],
    ['pi', 'pi'],
  ])('V-01: the harness %s is the agent %s', (harnessId, name) => {
    expect(stepOf({ ...agent, harnessId })?.work).toMatchObject({ kind: 'agent', agent: { name } });
  });

  test('V-08: on an approval a pattern changes nothing, and that is told', () => {
    const { plan, warnings } = compiled({ steps: [{ ...approval, passPattern: 'yes', failPattern: '(' }] });
    expect(plan.steps[0]?.match).toBeUndefined();
    expect(warnings.map(({ path, code, line }) => [path, code, line])).toEqual([
      ['steps.0.passPattern', 'dialect/no-effect', 1],
      ['steps.0.failPattern', 'dialect/no-effect', 1],
    ]);
  });

  test.each([
    ['passPattern', String.raw`VERDICT:\s*APPROVE`],
    ['failPattern', 'CHANGES_REQUESTED'],
    ['passPattern', String.raw`VERDICT:\s*APPROVE(?![\s\S]*VERDICT)`],
    ['passPattern', String.raw`\b0 failed\b`],
    ['failPattern', String.raw`\b[1-9]\d* failed\b`],
    ['failPattern', '^BLOCKED:'],
    ['passPattern', String.raw`^\s*yes\s*$`],
  ])('V-12: %s %s is taken as it is written', (key, pattern) => {
    const { plan, warnings } = compiled({ steps: [{ ...shell, [key]: pattern }] });
    expect(plan.steps[0]?.match).toEqual({ [key === 'passPattern' ? 'pass' : 'fail']: pattern });
    expect(warnings).toEqual([]);
  });

  test('V-14: without `maxLoops` a step loops back twice; without `loopBackTo` the limit changes nothing', () => {
    expect(stepOf({ ...shell, loopBackTo: 'a' })?.loop).toMatchObject({
      to: 'a',
      limit: 2,
      on: 'fail',
      inFlight: 'keep',
    });
    const { plan, warnings } = compiled({ steps: [{ ...shell, maxLoops: 3 }] });
    expect(plan.steps[0]?.loop).toBeUndefined();
    expect(warnings).toMatchObject([{ path: 'steps.0.maxLoops', code: 'dialect/no-effect' }]);
  });

  test('V-20: variables and the issue are inputs; one that the file does not hold must be given to each run', () => {
    const prompt = '{{vars.test}} {{issue.key}} {{issue.fields.summary}} {{issue.title}}{{#if vars.test}}!{{/if}}';
    const written = { vars: { test: 'npm test' }, issue: { key: 'A-1', fields: { summary: 'S' } } };
    const { plan } = compiled({ ...written, steps: [{ ...agent, prompt }] });
    expect(plan.inputs).toEqual({
      test: { type: 'string', required: false, default: 'npm test' },
      'issue-key': { type: 'string', required: false, default: 'A-1' },
      'issue-fields-summary': { type: 'string', required: false, default: 'S' },
      'issue-title': { type: 'string', required: true },
    });
    expect(plan.steps[0]?.work).toMatchObject({
      prompt:
        '{{inputs.test}} {{inputs.issue-key}} {{inputs.issue-fields-summary}} {{inputs.issue-title}}{{#if inputs.test}}!{{/if}}',
    });
  });

  test('V-20: filters stay, a quoted brace stays, the base branch is that of the run', () => {
    const command = '{{vars.test | raw}} {{steps.a.output | truncate:4000}} \\{{vars.test}} {{run.baseBranch}}';
    const { plan } = compiled({ vars: { test: 'x' }, steps: [{ ...shell, command }] });
    expect(plan.steps[0]?.work).toMatchObject({
      command: '{{inputs.test | raw}} {{steps.a.output | truncate:4000}} \\{{vars.test}} {{run.base}}',
    });
  });

  test('V-22: an answer is read by name, and cleared by name', () => {
    const prompt = '{{steps.b.comment}} {{steps.b.approvedBy}} {{steps.b.output}}';
    const { plan } = compiled({
      steps: [
        { ...agent, prompt },
        { ...approval, id: 'b', dependsOn: ['a'], loopBackTo: 'a' },
      ],
    });
    expect(plan.steps[0]?.work).toMatchObject({
      prompt: '{{steps.b.outputs.comment}} {{steps.b.outputs.decidedBy}} {{steps.b.output}}',
    });
  });

  test('V-31: the built-in request asks for exactly one line, with the pattern that reads it', () => {
    expect(verdictRequest).toMatch(/exactly one line, either `VERDICT: APPROVE` or `VERDICT: CHANGES_REQUESTED`/);
    const passes = (output: string) => new RegExp(verdictPatterns.pass, 'im').test(output);
    expect(passes('Fine.\nVERDICT: APPROVE')).toBe(true);
    expect(passes('VERDICT: CHANGES_REQUESTED')).toBe(false);
    expect(passes(`${reviewRequest}\n\n${verdictRequest}`)).toBe(false);
  });

  test('a name in braces is no template where no template was written', () => {
    expect(stepOf({ ...approval, name: 'Ship {{it}}' })?.work).toMatchObject({ ask: 'Ship \\{{it}}: go on?' });
  });
});
