import { expect, test } from 'vitest';
import type { Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import { plan, scriptedAgent, step } from '../fakes/plans.ts';
import { worked } from './outcomes.ts';
import { useStage } from './use-stage.ts';
import { type Script, untilCancelled } from './world.ts';

const stage = useStage();

const handled: Plan = plan([step('work', { work: scriptedAgent(['true']) })], {
  deliver: { mode: 'branch' },
  handlers: {
    success: step('on-success'),
    failure: step('on-failure'),
    cancel: step('on-cancel'),
    exit: step('on-exit'),
  },
});
const failed = { kind: 'failed' as const, reason: 'exit 1' };
const failing: Script = { attempt: ({ key }) => worked(1, key.step === 'work' ? failed : { kind: 'ok' }) };

test.concurrent('D-14: after a success that was delivered its handlers run, in the workspace that stays for them', async () => {
  const played = await stage.play({ plan: handled });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.world.inputsOf('deliver')).toMatchObject([{ stays: true }]);
  expect(played.world.inputsOf('attempt').map(({ key, scope }) => [key.step, scope.run.status])).toEqual([
    ['work', undefined],
    ['on-success', 'succeeded'],
    ['on-exit', 'succeeded'],
  ]);
  expect(played.types.indexOf('delivery.finished')).toBeLessThan(played.types.indexOf('handlers.started'));
  const children = played.histories.flatMap(({ events }) =>
    (events ?? []).flatMap(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowId ?? []),
  );
  // What the delivery left to the end.
  expect(children).toEqual([`cleanup_${played.runId}`]);
});

test.concurrent('D-14, decision 8: with continue-as-new at every rest the handlers run as without', async () => {
  const scenario = { plan: handled, script: failing };
  const [straight, continued] = await Promise.all([
    stage.play(scenario),
    stage.play({ ...scenario, seat: { continueAfterEvents: 1 } }),
  ]);
  expect(continued.histories.length).toBeGreaterThan(2);
  expect(continued.ended).toEqual({ as: 'completed', stop: 'failed' });
  expect(continued.types).toEqual(straight.types);
});

test.concurrent('D-14: a second cancel ends the handler for a cancel, and the run', async () => {
  const played = await stage.play({
    plan: handled,
    script: { attempt: () => untilCancelled() },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
      await world.called('attempt', 2);
      await send({ kind: 'cancel', id: 'message_2', reason: 'at once' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.world.inputsOf('attempt').map(({ key }) => key.step)).toEqual(['work', 'on-cancel']);
  expect(played.types.slice(-4)).toEqual(['work.cancelled', 'step.failed', 'step.skipped', 'run.stopped']);
});

test.concurrent('D-14, E5: a handler that was under way when its seat was lost is looked up, and the run ends', async () => {
  const first = await stage.play({ plan: handled, script: failing });
  const at = first.events.findIndex((event) => event.type === 'attempt.started' && event.step === 'on-failure');
  const past = first.stored.slice(0, at + 1);
  const state = fold(
    handled,
    past.map(({ event }) => event),
  );
  const second = await stage.play({
    plan: handled,
    past,
    script: { recoverAttempt: () => ({ kind: 'finished', result: worked(8) }) },
    seat: { runId: first.runId, seat: 2, resume: { state, seq: past.length, reason: 'lost' } },
  });
  expect(second.ended).toEqual({ as: 'completed', stop: 'failed' });
  expect(second.world.inputsOf('attempt').map(({ key }) => key.step)).toEqual(['on-exit']);
});
