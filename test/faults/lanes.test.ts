import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectWhole } from './expect-whole.ts';
import { eventsOf, type HeldRun, startHeldRun } from './held-run.ts';
import { startTestStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({ SETPOINT_SANDBOX: 'auto' });
});

afterAll(() => stack?.close());

const lane = { lane: 'pass' } as const;

/** The folders of a run's worktrees on its host, without what is ours beside them. */
async function lanesOf(run: HeldRun): Promise<string[]> {
  const [opened] = eventsOf(await run.events(), 'workspace.opened');
  const folder = dirname(opened?.path ?? '');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.startsWith('work') && !name.endsWith('.control'));
}

test('E-10, F1, E5: a host that is killed between two passes goes on in the lane of the second, and the first is retired', async () => {
  const names = ['second setup', 'second attempt', 'first check'] as const;
  const runs = await Promise.all(names.map((gate) => startHeldRun(stack, `lane: ${gate}`, gate, lane)));
  await Promise.all(runs.map((run) => run.untilArrived()));
  const host = stack.pid('host');
  await stack.kill('host');
  await stack.untilReplaced('host', host);
  await Promise.all(runs.map((run) => run.untilArrived(2)));
  const [inSetup, inAttempt, inCheck] = await Promise.all(runs.map(lanesOf));
  // Retired once the next one is admitted, not before: its set-up is part of that.
  expect([inSetup?.toSorted(), inAttempt, inCheck]).toEqual([['work', 'work-2'], ['work-2'], ['work']]);
  for (const run of runs) run.letGo();
  const [setup, attempt, check] = runs;
  if (setup === undefined || attempt === undefined || check === undefined)
    throw new TypeError('three runs were started');
  await expectWhole(setup, { agentStarts: 2 });
  await expectWhole(attempt, { agentStarts: 3 });
  await expectWhole(check, { agentStarts: 2 });
  for (const run of runs) {
    expect(eventsOf(await run.events(), 'lane.admitted').map(({ number }) => number)).toEqual([2]);
    expect(await lanesOf(run)).toEqual([]);
  }
});
