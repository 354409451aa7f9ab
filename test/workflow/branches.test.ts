import { expect, test } from 'vitest';
import { commandCheck, loopTo, plan, step } from '../fakes/plans.ts';
import { judgedAs, worked } from './outcomes.ts';
import { useStage } from './use-stage.ts';
import { door, untilCancelled } from './world.ts';

const stage = useStage();

const work = step('work');
const lint = step('lint', { after: ['work'], checks: [commandCheck('lint')], loop: loopTo('work') });
const read = step('read', { after: ['work'], readOnly: true });

test.concurrent('C3: a loop cancels what is under way of its reset set, and begins it again once that has ended', async () => {
  const reading = door();
  const played = await stage.play({
    plan: plan([work, lint, read]),
    script: {
      attempt: (input, call) => {
        if (input.key.step !== 'read') return worked(call);
        if (input.key.pass > 1) return worked(0);
        reading.open();
        return untilCancelled();
      },
      judge: async (input) => {
        await reading.opened;
        return judgedAs(input.pass === 1 ? 'fail' : 'pass', input);
      },
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  const ofRead = played.events.filter((event) => 'step' in event && event.step === 'read');
  expect(ofRead.map(({ type }) => type)).toEqual([
    'attempt.started',
    'work.cancelling',
    'work.cancelled',
    'attempt.started',
    'attempt.finished',
    'step.succeeded',
  ]);
});

test.concurrent("decision 4: one branch's wait blocks no other", async () => {
  const waiting = step('wait', {
    retry: { on: 'infrastructure', limit: 1, everySeconds: 2, backoff: 1 },
    readOnly: true,
  });
  const played = await stage.play({
    plan: plan([waiting, work]),
    script: {
      attempt: ({ key }) =>
        worked(1, key.step === 'wait' && key.attempt === 1 ? { kind: 'overload', reason: 'busy' } : { kind: 'ok' }),
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  const order = played.events.flatMap((event) => (event.type === 'step.succeeded' ? [event.step] : []));
  expect(order).toEqual(['work', 'wait']);
});

test.concurrent('a cancel ends the checks that are under way', async () => {
  const played = await stage.play({
    plan: plan([work, lint]),
    script: { judge: () => untilCancelled() },
    drive: async ({ world, send }) => {
      await world.called('judge');
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.types.slice(-3)).toEqual(['work.cancelling', 'work.cancelled', 'run.stopped']);
});

test.concurrent('a cancel ends a wait at once', async () => {
  const patient = { ...work, retry: { on: 'infrastructure' as const, limit: 1, everySeconds: 3600, backoff: 1 } };
  const played = await stage.play({
    plan: plan([patient]),
    script: { attempt: () => worked(1, { kind: 'overload', reason: 'busy' }) },
    drive: async ({ world, send }) => {
      await world.until(() => world.recorded.some(({ event }) => event.type === 'attempt.retried'));
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.types.slice(-2)).toEqual(['run.cancelling', 'run.stopped']);
});
