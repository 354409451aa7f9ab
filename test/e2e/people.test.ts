import { beforeAll, expect, test } from 'vitest';
import { RunOutcome } from '#core/contract/http.ts';
import { TaskListed, TaskShown } from '#core/contract/tasks.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await sharedStack();
});

const ask = {
  ask: 'Ship {{inputs.what}}?',
  show: ['told.md', 'steps.work.output'],
  form: { risk: { type: 'string', enum: ['low', 'high'], required: true }, count: { type: 'integer' } },
};
const definition = {
  setpoint: 1,
  name: 'Asks a person',
  inputs: { what: { type: 'string', default: 'it' } },
  steps: {
    work: { run: 'printf %s {{feedback}} > told.md; wc -c told.md' },
    ready: { person: ask, after: 'work', loop: { to: 'work' } },
    after: { run: 'echo shipped', after: 'ready' },
  },
  limits: { time: '10m' },
  deliver: 'none',
};

test('D1 to D6: a run waits for a person, is pushed back with a form, asks again, refuses the old revision, and goes on', async () => {
  const repository = stack.repository();
  const cli = (...argv: string[]) => stack.cli(argv, { cwd: repository.path });
  const started = await cli('run', repository.definition(definition), '--no-wait', '--quiet');
  expect(started.code).toBe(3);
  const { runId, task = '' } = RunOutcome.parse(JSON.parse(started.stdout));
  const shown = async (): Promise<TaskShown> => {
    return TaskShown.parse(JSON.parse((await cli('tasks', 'show', task, '--json')).stdout));
  };

  const listed = await cli('tasks', '--run', runId, '--json');
  expect(TaskListed.parse(JSON.parse(listed.stdout))).toMatchObject({ taskId: task, asked: 'Ship it?', revision: 1 });
  const view = (await cli('tasks', 'show', runId)).stdout;
  for (const part of ['Ship it?', 'told.md', 'risk: "low" | "high", required', '--revision 1 --set risk=…']) {
    expect(view).toContain(part);
  }
  const unfilled = await cli('approve', task);
  expect([unfilled.code, unfilled.stderr]).toEqual([2, expect.stringContaining('form.risk is missing')]);
  const wrong = await cli('approve', task, '--set', 'risk=low', '--set', 'count=many');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('count must be a whole number')]);
  expect(await shown()).toMatchObject({ revision: 1, state: 'open', decisions: [] });

  const form = ['--set', 'risk=high', '--set', 'count=3'];
  const pushed = await cli('push-back', task, '--message', 'Name the flag.', ...form);
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining('Pushed back.')]);
  const again = await cli('watch', runId, '--no-wait', '--quiet');
  expect(again.code).toBe(3);
  expect(await shown()).toMatchObject({ revision: 2, pass: 2, state: 'open' });
  const told = await cli('tasks', 'show', task, '--whole', 'told.md');
  expect(told.stdout).toMatch(/Name the flag\.\n\n- risk: high\n- count: 3/);

  const stale = await cli('approve', task, '--revision', '1', '--set', 'risk=low');
  expect([stale.code, stale.stderr]).toEqual([2, expect.stringContaining('task/reopened')]);
  const approved = await cli('approve', runId, '--revision', '2', '--set', 'risk=low');
  expect([approved.code, approved.stderr]).toEqual([0, expect.stringContaining('Approved.')]);
  expect((await cli('watch', runId, '--quiet')).code).toBe(0);
  const late = await cli('reject', task);
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('task/decided')]);
  expect((await cli('tasks', '--run', runId)).stdout).toBe('');
});
