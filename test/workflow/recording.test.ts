import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { RecordInput } from '#core/contract/activities.ts';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import type { Played } from './harness.ts';
import { judgedAs } from './outcomes.ts';
import { useStage } from './use-stage.ts';
import { untilCancelled } from './world.ts';

const stage = useStage();

const looping = (limit: number, checks = 1) =>
  step('work', {
    work: scriptedAgent(['true']),
    checks: Array.from({ length: checks }, (_, index) => commandCheck(`check${index}`)),
    loop: loopTo('work', { limit }),
  });
const holds = (input: RecordInput, type: string) => input.events.some(({ event }) => event.type === type);

/** How often `name` had been called when the record was offered for the nth time. */
function callsBefore(played: Played, name: string, offer: number): number {
  const offers = played.world.calls.flatMap((call, index) => (call.name === 'recordEvents' ? [index] : []));
  return played.world.calls.slice(0, offers[offer - 1]).filter((call) => call.name === name).length;
}

test.concurrent('§3: a database that is away slows no loop, and every event arrives once and in order', async () => {
  const played = await stage.play({
    plan: plan([looping(9)]),
    script: {
      judge: (input) => judgedAs(input.pass < 6 ? 'fail' : 'pass', input),
      recordEvents: (_input, call) => (call <= 2 ? 'later' : 'recorded'),
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(callsBefore(played, 'judge', 3)).toBe(6);
});

test.concurrent('§3: a recorder that fails is asked again', async () => {
  const played = await stage.play({
    plan: plan([looping(1)]),
    script: {
      recordEvents: (_input, call) => {
        if (call === 1) throw ApplicationFailure.nonRetryable('no connection');
        return 'recorded';
      },
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
});

test.concurrent('§3: above 500 unrecorded events nothing new starts, and the loop goes on once they are recorded', async () => {
  const played = await stage.play({
    plan: plan([looping(20, 60)]),
    script: {
      judge: (input) => judgedAs(input.pass < 16 ? 'fail' : 'pass', input),
      recordEvents: (_input, call) => (call <= 3 ? 'later' : 'recorded'),
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  const held = callsBefore(played, 'attempt', 4);
  expect(held).toBeGreaterThan(6);
  expect(held).toBeLessThan(10);
  for (const { events } of played.world.inputsOf('recordEvents')) expect(events.length).toBeLessThanOrEqual(100);
});

test.concurrent('decision 13, T-24: a seat that another one has superseded ends, and records nothing more', async () => {
  const played = await stage.play({
    plan: plan([looping(4)]),
    script: {
      attempt: () => untilCancelled(),
      recordEvents: (input) => (holds(input, 'attempt.started') ? 'superseded' : 'recorded'),
    },
  });
  expect(played.ended).toEqual({ as: 'failed', code: 'run/superseded' });
  expect(played.types).not.toContain('attempt.started');
});

test.concurrent('E9: the stop is the last event, though a limit runs out before it is recorded', async () => {
  const limits = { deadlineSeconds: 5, noProgress: 2, onTime: 'fail' as const, onSpend: 'pause' as const };
  const begun = Date.now();
  const played = await stage.play({
    plan: plan([looping(1)], { limits }),
    script: {
      recordEvents: (input) => (holds(input, 'run.stopped') && Date.now() < begun + 5500 ? 'later' : 'recorded'),
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types.at(-1)).toBe('run.stopped');
});

test.concurrent('E8: a retry that arrives while the run closes goes on in the same seat, without waiting for the database', async () => {
  const away = { is: true };
  const played = await stage.play({
    plan: plan([looping(1)]),
    script: {
      judge: (input) => judgedAs(input.pass < 3 ? 'fail' : 'pass', input),
      recordEvents: (input) => (holds(input, 'run.stopped') && away.is ? 'later' : 'recorded'),
    },
    drive: async ({ world, send }) => {
      await world.until(() => world.inputsOf('recordEvents').some((input) => holds(input, 'run.stopped')));
      expect(await send({ kind: 'retry', id: 'message_1' })).toEqual({ kind: 'applied' });
      await world.called('attempt', 3);
      away.is = false;
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types.filter((type) => type === 'run.stopped' || type === 'run.retried')).toEqual([
    'run.stopped',
    'run.retried',
    'run.stopped',
  ]);
});
