import { expect, test } from 'vitest';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { worked } from './outcomes.ts';
import { useStage } from './use-stage.ts';
import { door, untilCancelled } from './world.ts';

const stage = useStage();

const agent = step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work') });

test.concurrent('E3: a cancel ends the attempt under way and is final once its end is confirmed', async () => {
  let endedAt = 0;
  const played = await stage.play({
    plan: plan([agent]),
    script: { attempt: () => untilCancelled(() => void (endedAt = Date.now())) },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      expect(await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' })).toEqual({ kind: 'applied' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.types.slice(-4)).toEqual(['run.cancelling', 'work.cancelling', 'work.cancelled', 'run.stopped']);
  expect(endedAt).toBeGreaterThan(0);
  expect(played.events.at(-1)?.at).toBeGreaterThanOrEqual(endedAt);
  expect(played.world.inputsOf('judge')).toEqual([]);
});

test.concurrent('C4: a result that comes in spite of a cancel is recorded, its spend counts, nothing else of it does', async () => {
  const held = door();
  const played = await stage.play({
    plan: plan([agent]),
    script: {
      attempt: async () => {
        await held.opened;
        return worked(7);
      },
    },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
      held.open();
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.types).toContain('attempt.finished');
  expect(played.summaries.at(-1)?.spendUsd).toBe(0.25);
  expect(played.world.inputsOf('judge')).toEqual([]);
});

test.concurrent('D2: a message that comes twice counts once', async () => {
  const held = door();
  const played = await stage.play({
    plan: plan([agent]),
    script: {
      attempt: async () => {
        await held.opened;
        return worked(1);
      },
    },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      const message = { kind: 'cancel' as const, id: 'message_1', reason: 'not needed' };
      expect(await send(message)).toEqual({ kind: 'applied' });
      expect(await send(message)).toEqual({ kind: 'applied' });
      held.open();
    },
  });
  expect(played.types.filter((type) => type === 'run.cancelling')).toHaveLength(1);
});

test.concurrent('decision 12: a refused message is an answer with the remedy, and writes nothing to record or history', async () => {
  const held = door();
  const played = await stage.play({
    plan: plan([agent]),
    script: {
      attempt: async () => {
        await held.opened;
        return worked(1);
      },
    },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      const answer = await send({ kind: 'retry', id: 'message_1' });
      expect(answer).toMatchObject({ kind: 'refused', code: 'run/not-ended' });
      held.open();
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types).not.toContain('run.retried');
  const updates = played.histories.flatMap(({ events }) =>
    (events ?? []).filter(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => accepted != null),
  );
  expect(updates).toEqual([]);
});

test.concurrent('decision 11: a cancel of the engine means our cancel', async () => {
  const played = await stage.play({
    plan: plan([agent]),
    script: { attempt: () => untilCancelled() },
    drive: async ({ world, handle }) => {
      await world.called('attempt');
      await handle.cancel();
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.types.slice(-4)).toEqual(['run.cancelling', 'work.cancelling', 'work.cancelled', 'run.stopped']);
});

test.concurrent('C1, E10: the time limit ends an attempt that is under way', async () => {
  const limits = { timeSeconds: 1, noProgress: 2, onTime: 'fail' as const, onSpend: 'pause' as const };
  const played = await stage.play({ plan: plan([agent], { limits }), script: { attempt: () => untilCancelled() } });
  expect(played.ended).toEqual({ as: 'completed', stop: 'timed_out' });
  expect(played.types.slice(-5)).toEqual([
    'timer.fired',
    'run.ending',
    'work.cancelling',
    'work.cancelled',
    'run.stopped',
  ]);
});

test.concurrent('a cancel ends the opening of a workspace', async () => {
  const played = await stage.play({
    plan: plan([agent]),
    script: { openWorkspace: () => untilCancelled() },
    drive: async ({ world, send }) => {
      await world.called('openWorkspace');
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.world.inputsOf('attempt')).toEqual([]);
});

test.concurrent('a cancel that comes with the start of the run is recorded after the start, and nothing begins', async () => {
  const played = await stage.play({
    plan: plan([agent]),
    startWith: { kind: 'cancel', id: 'message_1', reason: 'not needed' },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
  expect(played.types).toEqual(['run.started', 'run.cancelling', 'run.stopped']);
});

test.concurrent('T-09: a run whose worktree is not to be kept asks for its clean-up once it has ended, and no other does', async () => {
  const { workspace } = plan([step('work')]);
  const [kept, removed] = await Promise.all(
    (['keep', 'remove'] as const).map((afterwards) =>
      stage.play({ plan: plan([step('work')], { workspace: { ...workspace, afterwards } }) }),
    ),
  );
  const cleanups = (played: typeof kept) =>
    (played?.histories ?? []).flatMap(({ events }) =>
      (events ?? []).flatMap(
        ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowId ?? [],
      ),
    );
  expect(cleanups(removed)).toEqual([`cleanup_${removed?.runId}`]);
  expect(cleanups(kept)).toEqual([]);
});
