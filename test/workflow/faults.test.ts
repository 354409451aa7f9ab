import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { commandCheck, plan, step } from '../fakes/plans.ts';
import { judgedAs } from './outcomes.ts';
import { useStage } from './use-stage.ts';

const stage = useStage();

const work = step('work', { checks: [commandCheck('tests')] });

function fault(type: string): never {
  throw ApplicationFailure.nonRetryable('It cannot work as written.', type);
}

test.concurrent('A3: a workspace that can never be opened stops the run as failed to start', async () => {
  const script = { openWorkspace: () => fault('workspace/base-unknown') };
  const played = await stage.play({ plan: plan([work]), script });
  expect(played.ended).toEqual({ as: 'completed', stop: 'failed_to_start' });
  expect(played.events.at(-1)).toMatchObject({ stop: { code: 'workspace/base-unknown' } });
});

test.concurrent('a check that can never be judged stops the run with its cause', async () => {
  const played = await stage.play({ plan: plan([work]), script: { judge: () => fault('sandbox/unavailable') } });
  expect(played.ended).toEqual({ as: 'completed', stop: 'failed_to_start' });
  expect(played.types.slice(-3)).toEqual(['checks.interrupted', 'run.ending', 'run.stopped']);
});

test.concurrent('E1: a delivery that fails is a stop of its own', async () => {
  const played = await stage.play({
    plan: plan([work], { deliver: { mode: 'branch' } }),
    script: { deliver: () => fault('delivery/branch-exists') },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'delivery_failed' });
});

test.concurrent('B1, E8: a check that cannot run pauses the run, and a retry of it goes on in the same seat', async () => {
  const played = await stage.play({
    plan: plan([work]),
    script: { judge: (input) => judgedAs(input.round <= 3 ? 'error' : 'pass', input) },
    drive: async ({ world, send }) => {
      await world.until(() => world.recorded.some(({ event }) => event.type === 'run.paused'));
      expect(await send({ kind: 'retry', id: 'message_1' })).toEqual({ kind: 'applied' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.world.inputsOf('judge')).toHaveLength(4);
  expect(played.world.inputsOf('attempt')).toHaveLength(1);
  expect(played.summaries.some(({ status }) => status === 'paused')).toBe(true);
});

test.concurrent('E2: a paused run can be cancelled while its deadline goes on', async () => {
  const limits = { deadlineSeconds: 3600, noProgress: 2, onTime: 'fail' as const, onSpend: 'pause' as const };
  const played = await stage.play({
    plan: plan([work], { limits }),
    script: { judge: (input) => judgedAs('error', input) },
    drive: async ({ world, send }) => {
      await world.until(() => world.recorded.some(({ event }) => event.type === 'run.paused'));
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
});
