import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { renderPrompt } from '#core/template/render.ts';
import { compileText, compileValue } from '#dialects/parse.ts';

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), 'utf8');

function compiled(text: string) {
  const result = compileText({ text, file: 'loops/green.yaml' });
  if (result.kind === 'issues') throw new TypeError(JSON.stringify(result.issues));
  expect(result.dialect).toBe('exit-checks');
  return result;
}

const planOf = (text: string): Plan => compiled(text).plan;
const warningsOf = (text: string): string[] => compiled(text).warnings.map(({ path, code }) => `${path} ${code}`);
const short = (...lines: string[]): string => ['prompt: Go.', 'agent: claude', ...lines].join('\n');
const loopOf = (plan: Plan) => plan.steps[0]?.loop;

describe('an exit-check loop', () => {
  test('E-01, E-10: a prompt and a check are a loop; what is not written has its default', () => {
    const plan = planOf(fixture('until-green.yaml'));
    expect(plan).toMatchObject({
      name: 'green',
      limits: { noProgress: 0, onTime: 'pause', onSpend: 'pause' },
      workspace: { worktree: true, lane: 'pass' },
      baseline: 'off',
      deliver: { mode: 'branch' },
      steps: [
        {
          id: 'work',
          mode: 'all',
          work: { kind: 'agent', agent: { name: 'claude', session: 'fresh' } },
          checks: [{ kind: 'command', name: 'npm test', command: 'npm test', expectExit: 0, timeSeconds: 600 }],
          loop: { to: 'work', on: 'fail', limit: 9, onExhausted: 'pause' },
        },
      ],
    });
    expect(plan.limits.timeSeconds).toBeUndefined();
    expect(planOf('prompt: Go.\nchecks: [{ type: test, command: a }]').steps[0]?.work).toMatchObject({
      agent: { name: 'auto' },
    });
  });

  test('E-01: every key says what it says, in JSON and in YAML', () => {
    const plan = planOf(fixture('worklist.json'));
    expect(plan).toMatchObject({
      name: 'Sweep the docs',
      limits: { timeSeconds: 14_400, spendUsd: 12.5, onTime: 'fail', onSpend: 'pause' },
      workspace: { base: 'main' },
    });
    expect(loopOf(plan)).toMatchObject({ limit: 19, onExhausted: 'fail' });
    expect(plan.steps[0]?.work).toMatchObject({ agent: { name: 'codex', session: 'resume' } });
  });

  test('E-01: a null is the same as no key, as in the files of forms', () => {
    const nulls = {
      agent: null,
      baseBranch: null,
      exitMode: null,
      maxIterations: null,
      memory: null,
      maxSpendUsd: null,
    };
    const check = {
      type: 'test',
      command: 'a',
      name: null,
      goal: null,
      path: null,
      consecutive: null,
      timeoutMinutes: null,
    };
    const whole = { prompt: 'Go.', checks: [check], whenCapHit: null, maxTimeMinutes: null, name: null, ...nulls };
    const bare = planOf('{ "prompt": "Go.", "checks": [{ "type": "test", "command": "a" }] }');
    expect(planOf(JSON.stringify(whole))).toEqual(bare);
    const value = compileValue(whole);
    expect(value.kind === 'plan' && { ...value.plan, name: 'green' }).toEqual(bare);
  });

  test('E-02, E-06: the five kinds of check; the agent reports in .yolo-result.json, and all are evaluated', () => {
    const [links, worklist, summary] = planOf(fixture('worklist.json')).steps[0]?.checks ?? [];
    expect(links).toMatchObject({ kind: 'command', needs: 'always', timeSeconds: 300 });
    const file = '.yolo-result.json';
    expect(worklist).toMatchObject({ kind: 'report', name: 'every page', file, wants: { kind: 'worklist' } });
    expect(summary).toMatchObject({ kind: 'report', file, wants: { kind: 'artifact', path: 'docs/SWEEP.md' } });
    const [tests, goal] = planOf(fixture('twice-in-a-row.yaml')).steps[0]?.checks ?? [];
    expect(tests).toMatchObject({ kind: 'command', name: 'tests', timeSeconds: 1200 });
    expect(goal).toMatchObject({ kind: 'review', needs: 'always', consecutive: 2, agent: { name: 'auto' } });
  });

  test('E-03: `exitMode: any` lets one passing check be enough', () => {
    expect(planOf(fixture('any-of-three.yaml')).steps[0]?.mode).toBe('any');
  });

  test('E-05: a command has ten minutes, and may have half an hour at most', () => {
    const secondsOf = (minutes: string) =>
      planOf(
        short(`checks: [{ type: command, command: a${minutes} }, { type: test, command: b${minutes} }]`),
      ).steps[0]?.checks.map(({ timeSeconds }) => timeSeconds);
    expect([secondsOf(''), secondsOf(', timeoutMinutes: 30')]).toEqual([
      [600, 600],
      [1800, 1800],
    ]);
    const more = compileText({ text: short('checks: [{ type: test, command: a, timeoutMinutes: 30.1 }]') });
    expect(more.kind === 'issues' && more.issues.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'checks.0.timeoutMinutes definition/out-of-range',
    ]);
  });

  test('E-01, A11: prompts, commands and goals are texts: braces in them are no templates', () => {
    const text = short('checks:', '  - { type: command, command: "docker ps --format \'{{.Names}}\'" }').replace(
      'Go.',
      '"Keep {{feedback}} and \\\\{{x}} as they are."',
    );
    const [step] = planOf(text).steps;
    const prompt = step?.work.kind === 'agent' ? step.work.prompt : '';
    expect(renderPrompt(prompt, { feedback: 'no' })).toBe(String.raw`Keep {{feedback}} and \{{x}} as they are.`);
    const check = step?.checks[0];
    const command = check?.kind === 'command' ? check.command : '';
    expect(renderPrompt(command, {})).toBe("docker ps --format '{{.Names}}'");
  });

  test('E-02: keys of another kind of check change nothing, and are told', () => {
    const text = short(
      'checks:',
      '  - { type: test, command: a, consecutive: 2 }',
      '  - { type: nl-goal, goal: b, timeoutMinutes: 3 }',
      '  - { type: worklist, path: c }',
    );
    expect(warningsOf(text)).toEqual([
      'checks.0.consecutive dialect/no-effect',
      'checks.1.timeoutMinutes dialect/no-effect',
      'checks.2.path dialect/no-effect',
    ]);
  });

  test("B7: reports alone are the agent's own word, and that is told where they stand", () => {
    expect(warningsOf(short('checks: [{ type: worklist }]'))).toEqual(['checks.0 report/alone']);
  });
});

test('the file of the guide is one that nothing is said against', () => {
  const guide = fileURLToPath(new URL('../../docs/guide/coming-from-exit-checks.md', import.meta.url));
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? [];
  expect(warningsOf(text)).toEqual([]);
});
