import { expect, test } from 'vitest';

import { compileText } from '#dialects/parse.ts';

import { taskDefinition, type TaskLoop } from '#cli/init/task-definition.ts';

const loop: TaskLoop = {
  name: 'A: task # with marks',
  comments: ['Why it is so.'],
  task: 'Make {{it}} work.\n\n- "all" of it: now\n',
  agent: 'codex',
  mode: 'any',
  checks: [
    {
      kind: 'command',
      name: 'tests',
      run: `docker inspect --format '{{.State}}' x | grep -q "up: 1"`,
      why: 'Because.',
    },
    { kind: 'review', name: 'review', criterion: 'It is {{good}}.', agent: 'claude' },
  ],
  passes: 3,
  time: '2h',
  spend: '5 USD',
  setup: 'npm ci',
  protect: ['test/**'],
  deliver: 'none',
};

test('E-21: what is written is what is read, and no word of a task or command is a template', () => {
  const text = taskDefinition(loop);
  const compiled = compileText({ text, file: 'x.loop.yaml' });
  if (compiled.kind === 'issues') throw new TypeError(`${text}${JSON.stringify(compiled.issues)}`);
  const [step] = compiled.plan.steps;
  expect(compiled.plan).toMatchObject({
    name: loop.name,
    deliver: { mode: 'none' },
    limits: { timeSeconds: 7200, spendUsd: 5 },
    workspace: { setup: 'npm ci', protect: ['test/**'] },
  });
  expect(step?.work).toMatchObject({ prompt: 'Make \\{{it}} work.\n\n- "all" of it: now\n', agent: { name: 'codex' } });
  expect(step).toMatchObject({ mode: 'any', loop: { limit: 2 } });
  expect(step?.checks).toMatchObject([
    { kind: 'command', command: `docker inspect --format '\\{{.State}}' x | grep -q "up: 1"` },
    { kind: 'review', agent: { name: 'claude' } },
  ]);
  expect(text).toMatch(/^# Why it is so\.\nsetpoint: 1\n/);
  expect(text).toContain('\n  # Because.\n  - name: tests\n');
});
