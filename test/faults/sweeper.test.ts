import { afterAll, beforeAll, expect, test } from 'vitest';
import { markedPids } from '#infra/process/process-table.ts';
import { expectWhole } from './expect-whole.ts';
import { startHeldRun } from './held-run.ts';
import { startTestStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack?.close());

test('3.3: a run that was taken on while the engine was away is started, though the API died meanwhile', async () => {
  const [temporal, api] = [stack.pid('temporal'), stack.pid('api')];
  stack.signal('supervisor', 'SIGSTOP');
  await stack.kill('temporal');
  const run = await startHeldRun(stack, 'started without an engine', 'setup');
  await stack.kill('api');
  expect(run.arrivals()).toBe(0);
  stack.signal('supervisor', 'SIGCONT');
  await Promise.all([stack.untilReplaced('temporal', temporal), stack.untilReplaced('api', api)]);
  await run.untilArrived();
  run.letGo();
  await expectWhole(run, { agentStarts: 2 });
});

test('decision 12, E3: a cancel that nobody could answer ends the run and its agent once a worker is back', async () => {
  const run = await startHeldRun(stack, 'cancelled without a worker', 'attempt');
  await run.untilArrived();
  const control = stack.pid('control');
  stack.signal('supervisor', 'SIGSTOP');
  await stack.kill('control');
  await stack.call(`/v1/runs/${run.runId}/cancel`, { reason: 'a test' });
  stack.signal('supervisor', 'SIGCONT');
  await stack.untilReplaced('control', control);
  const shown = await run.ended();
  expect(shown.summary.stop).toMatchObject({ kind: 'cancelled' });
  // It was final when nothing of the run was alive any more.
  expect(markedPids(`${run.runId}/work#1.1`)).toEqual([]);
  expect(run.agentStarts()).toBe(1);
});
