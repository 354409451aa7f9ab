import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { Issue } from '#core/issue/issue.ts';
import type { Plan } from '#core/plan/plan.ts';
import { compileText } from '#dialects/parse.ts';

const gate = { type: 'command', name: 'tests', command: 'npm test' };
const task = { goal: 'Mend it.', verification: [gate] };

function compiled(value: object): { plan: Plan; warnings: Issue[] } {
  const result = compileText({ text: JSON.stringify(value), file: 'tasks/mend.task.json' });
  if (result.kind === 'plan') return result;
  throw new TypeError(JSON.stringify(result.issues));
}

function planOfFile(name: string): Plan {
  const result = compileText({ text: readFileSync(`dialects/task-file/fixtures/${name}`, 'utf8'), file: name });
  if (result.kind === 'issues') throw new TypeError(JSON.stringify(result.issues));
  expect(result.dialect).toBe('task-file');
  return result.plan;
}

describe('task files', () => {
  test('T-01: a file is known by its shape; one agent works until every gate passes', () => {
    expect(planOfFile('health-endpoint.task.json')).toMatchObject({
      name: 'add-health-endpoint',
      steps: [
        {
          work: { kind: 'agent', agent: { name: 'pi' } },
          checks: [{ kind: 'command', name: 'tests', command: 'npm test', expectExit: 0 }],
          mode: 'all',
          loop: { to: 'work', on: 'fail', limit: 4, onExhausted: 'fail' },
        },
      ],
    });
  });

  test('T-02, T-08, T-09, T-04: what is left out has the default of the original', () => {
    const { plan } = compiled(task);
    expect(plan).toMatchObject({
      name: 'mend',
      steps: [{ work: { agent: { name: 'codex', session: 'fresh' } }, readOnly: false, timeSeconds: 1800 }],
      limits: { noProgress: 2 },
      workspace: { worktree: true },
      baseline: 'off',
      deliver: { mode: 'none' },
    });
    expect(plan.workspace).not.toHaveProperty('base');
    expect(plan.workspace).not.toHaveProperty('afterwards');
    expect(plan.limits.timeSeconds).toBeUndefined();
    expect(plan.limits.feedbackChars ?? 12_000).toBe(12_000);
    const explicit = {
      ...task,
      agent: { provider: 'codex', sandbox: 'workspace-write', model: null, extraArgs: [] },
      limits: { maxIterations: 5, maxNoProgress: 2, timeoutSeconds: 1800 },
      worktree: { enabled: true, base: 'HEAD', keep: true },
      delivery: { mode: 'none' },
    };
    expect(compiled(explicit).plan).toEqual(plan);
  });

  test('T-02, T-04, T-08, T-09: what is written has its place in the plan', () => {
    const plan = planOfFile('every-key.task.json');
    expect(plan).toMatchObject({
      steps: [
        {
          work: { agent: { name: 'claude', model: 'opus', args: ['--verbose'], session: 'resume' } },
          timeSeconds: 900,
          loop: { limit: 6 },
        },
      ],
      limits: { noProgress: 3, feedbackChars: 4000 },
      workspace: { base: 'main', afterwards: 'remove' },
      deliver: { mode: 'commit', title: 'Mend it', body: 'As \\{{asked}}.' },
    });
    expect(plan.steps[0]?.checks.map(({ timeSeconds }) => timeSeconds)).toEqual([900, 900, 900, 900]);
  });

  test.each(['codex', 'opencode', 'claude', 'pi', 'cursor'])('T-02, T-03: %s works, and reviews', (provider) => {
    const review = { type: 'agent', name: 'review', provider, prompt: 'It is small.' };
    const { plan } = compiled({ ...task, agent: { provider }, verification: [gate, review] });
    expect(plan.steps[0]).toMatchObject({
      work: { agent: { name: provider } },
      checks: [{}, { kind: 'review', agent: { name: provider }, criterion: 'It is small.' }],
    });
  });

  test('T-02: read-only access makes a reading step; a gate without a provider is judged by the task’s agent', () => {
    expect(planOfFile('read-only.task.json').steps[0]).toMatchObject({ readOnly: true });
    expect(planOfFile('every-key.task.json').steps[0]?.checks[3]).toMatchObject({
      kind: 'review',
      agent: { name: 'claude', model: 'opus', args: ['--verbose'] },
    });
  });

  test('T-05: the gates stand in written order, and each is asked each pass', () => {
    const checks = planOfFile('every-key.task.json').steps[0]?.checks ?? [];
    expect(checks.map(({ name, needs }) => [name, needs])).toEqual([
      ['tests', 'always'],
      ['types', 'always'],
      ['security-review', 'always'],
      ['second-look', 'always'],
    ]);
  });

  test('T-08: a time limit longer than a gate may have is the agent’s alone, and that is told', () => {
    const { plan, warnings } = compiled({ ...task, limits: { timeoutSeconds: 7200 } });
    expect(plan.steps[0]).toMatchObject({ timeSeconds: 7200, checks: [{ timeSeconds: 1800 }] });
    expect(warnings).toMatchObject([{ path: 'limits.timeoutSeconds', code: 'check/time-too-long', line: 1 }]);
  });

  test('T-12: without a worktree the checkout itself is changed, and its base has no effect', () => {
    const { plan, warnings } = compiled({ ...task, worktree: { enabled: false, base: 'main' } });
    expect(plan).toMatchObject({ workspace: { worktree: false }, deliver: { mode: 'none' } });
    expect(warnings).toMatchObject([{ path: 'worktree.base', code: 'dialect/no-effect' }]);
  });

  test('T-21: older files: a `codex` block, and gates without a type', () => {
    expect(planOfFile('legacy.task.json').steps[0]).toMatchObject({
      work: { agent: { name: 'codex' } },
      checks: [{ kind: 'command', name: 'tests', command: 'npm test' }],
    });
    const older = { ...task, codex: { model: 'o3', extraArgs: ['--oss'] } };
    expect(compiled(older).plan.steps[0]?.work).toMatchObject({
      agent: { name: 'codex', model: 'o3', args: ['--oss'] },
    });
  });

  test('T-31: texts are no templates: braces reach the agent and the shell as they are written', () => {
    const plan = planOfFile('every-key.task.json');
    expect(plan.steps[0]).toMatchObject({
      work: { prompt: 'Mend \\{{this}} and nothing else.\nThen stop.' },
      checks: [{ command: "npm test -- '\\{{literal}}'" }, {}, {}, {}],
    });
  });
});
