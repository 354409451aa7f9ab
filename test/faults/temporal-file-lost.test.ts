import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectWhole } from './expect-whole.ts';
import { eventsOf, type HeldRun, startHeldRun } from './held-run.ts';
import { startTestStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack?.close());

/** What the engine knows is gone: it is killed, and its file is away before the supervisor starts it again. */
async function loseTheEngine(): Promise<void> {
  const before = stack.pid('temporal');
  // Stopped, so that it cannot start the engine on the old file in between.
  stack.signal('supervisor', 'SIGSTOP');
  try {
    await stack.kill('temporal');
    await rm(join(stack.home, 'temporal'), { recursive: true });
  } finally {
    stack.signal('supervisor', 'SIGCONT');
  }
  await stack.untilReplaced('temporal', before);
}

async function reseats(run: HeldRun): Promise<number> {
  return eventsOf(await run.events(), 'run.reseated').length;
}

test('decision 13: open runs are seated again from their record when the file of the engine is lost, and go on', async () => {
  const opening = await startHeldRun(stack, 'lost while opening', 'setup');
  const attempting = await startHeldRun(stack, 'lost in an attempt', 'attempt', { agent: 'stubborn' });
  const checking = await startHeldRun(stack, 'lost in a check', 'first check');
  const runs = [opening, attempting, checking];
  await Promise.all(runs.map((run) => run.untilArrived()));
  await loseTheEngine();
  await Promise.all(runs.map((run) => run.untilArrived(2)));
  for (const run of runs) run.letGo();
  await expectWhole(opening, { agentStarts: 2 });
  // Nobody can tell the new seat how the attempt ended: it is started again, once the old one is dead (E5, F7).
  await expectWhole(attempting, { agentStarts: 3 });
  await expectWhole(checking, { agentStarts: 2 });
  expect(await Promise.all(runs.map(reseats))).toEqual([1, 1, 1]);
});

test('decision 13: the host that died with the engine starts again all the same', async () => {
  const run = await startHeldRun(stack, 'lost with the host', 'attempt');
  await run.untilArrived();
  const host = stack.pid('host');
  stack.signal('supervisor', 'SIGSTOP');
  try {
    await stack.kill('host');
  } finally {
    stack.signal('supervisor', 'SIGCONT');
  }
  await loseTheEngine();
  await stack.untilReplaced('host', host);
  await run.untilArrived(2);
  run.letGo();
  await expectWhole(run, { agentStarts: 3 });
  expect(await reseats(run)).toBe(1);
});
