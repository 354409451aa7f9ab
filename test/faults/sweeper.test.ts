import { afterAll, beforeAll, expect, test } from 'vitest';
import { markedPids } from '#infra/process/process-table.ts';
import { makeSharedRepository, startAskingRun } from './asking-run.ts';
import { expectWhole } from './expect-whole.ts';
import { eventsOf, startHeldRun } from './held-run.ts';
import { asking, pushedBack, untilPending } from './people-moments.ts';
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

test('decision 12, D2: a decision whose API died before the engine heard of it is delivered, and counts once', async () => {
  const run = await startAskingRun(stack, await makeSharedRepository(stack), asking);
  await run.asks(1);
  const [temporal, api] = [stack.pid('temporal'), stack.pid('api')];
  stack.signal('supervisor', 'SIGSTOP');
  // It reads nothing more, so what the API sends dies with it.
  stack.signal('temporal', 'SIGSTOP');
  const sent = run.send(pushedBack(run)).catch(() => 'died');
  await untilPending(stack, run);
  await stack.kill('api');
  await stack.kill('temporal');
  expect(await sent).toBe('died');
  stack.signal('supervisor', 'SIGCONT');
  await Promise.all([stack.untilReplaced('temporal', temporal), stack.untilReplaced('api', api)]);
  // Nobody sends it again.
  await run.asks(2);
  await run.decide({ decision: 'approve', decisionId: `yes_${run.runId}`, revision: 2 });
  expect((await run.ended()).summary.stop).toMatchObject({ kind: 'succeeded' });
  const decided = eventsOf(await run.events(), 'task.decided').map(({ messageId }) => messageId);
  expect(decided).toEqual([`back_${run.runId}`, `yes_${run.runId}`]);
});
