import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectWhole } from './expect-whole.ts';
import { eventsOf, startHeldRun } from './held-run.ts';
import { startTestStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack?.close());

/** As an upgrade: other code, the same behaviour. */
async function changeBuild(): Promise<void> {
  const bundle = join(stack.build, 'dist', 'workflow-bundle.js');
  await writeFile(bundle, `/* a newer build */\n${await readFile(bundle, 'utf8')}`);
}

test('decision 13: a run that waits goes on when a newer build of the workers takes over', async () => {
  const run = await startHeldRun(stack, 'held over an upgrade', 'first check');
  await run.untilArrived();
  await stack.down();
  await changeBuild();
  await stack.up();
  await run.untilArrived(2);
  run.letGo();
  await expectWhole(run, { agentStarts: 2 });
  expect(eventsOf(await run.events(), 'run.reseated')).toEqual([]);
});

test('E5: an attempt that an upgrade ended is started again without spending a restart', async () => {
  const run = await startHeldRun(stack, 'attempt over an upgrade', 'attempt');
  await run.untilArrived();
  await stack.down();
  await stack.up();
  await run.untilArrived(2);
  run.letGo();
  await expectWhole(run, { agentStarts: 3 });
  expect(eventsOf(await run.events(), 'attempt.retried').map(({ kind }) => kind)).toEqual(['shutdown']);
});
