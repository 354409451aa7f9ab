import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectWhole } from './expect-whole.ts';
import { startHeldRun } from './held-run.ts';
import { startTestStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({ SETPOINT_SANDBOX: 'auto' });
});

afterAll(() => stack?.close());

test('E5, S-01: a host that is killed in an attempt begins the next attempt within seconds, from the last snapshot', async () => {
  const run = await startHeldRun(stack, 'host killed in an attempt', 'attempt');
  await run.untilArrived();
  const killedAt = performance.now();
  await stack.kill('host');
  await run.untilArrived(2);
  const seconds = (performance.now() - killedAt) / 1000;
  process.stdout.write(`kill -9 of the host to the process of the next attempt: ${seconds.toFixed(2)} s\n`);
  // A heartbeat that runs out would take a minute and a half. The figure itself is printed: it depends on the machine.
  expect(seconds).toBeLessThan(15);
  run.letGo();
  await expectWhole(run, { agentStarts: 3 });
});
