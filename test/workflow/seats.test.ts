import { expect, test } from 'vitest';
import type { Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import type { Played, Scenario } from './harness.ts';
import { judgedAs, worked } from './outcomes.ts';
import { useStage } from './use-stage.ts';
import type { Script } from './world.ts';

const stage = useStage();

const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };
const agent = step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work') });

/** Every kind of work, a wait and a loop over two steps. */
const everyKind: Plan = plan(
  [
    { ...agent, when: { condition, onUnmet: 'skip', onError: 'fail' } },
    step('lint', {
      after: ['work'],
      checks: [commandCheck('lint')],
      loop: loopTo('work', { wait: { everySeconds: 0.2, backoff: 1 } }),
    }),
    step('read', { after: ['work'], readOnly: true }),
  ],
  { baseline: 'report', deliver: { mode: 'branch' } },
);
const everyKindScript: Script = {
  // Of its key alone: what runs side by side may begin in either order.
  attempt: ({ key }) => worked(['work', 'lint', 'read'].indexOf(key.step) * 100 + key.pass),
  judge: (input) => {
    if (input.step === 'work') return judgedAs(input.pass === 1 ? 'fail' : 'pass', input);
    return judgedAs(input.step === 'lint' && input.pass === 1 ? 'fail' : 'pass', input);
  },
};

/** What an event says, without when it was. */
function told(event: RunEvent): unknown {
  const { at: _at, ...rest } = event;
  return 'notBefore' in rest ? { ...rest, notBefore: 0 } : rest;
}

/** What was told of each step, and of the run itself. */
function logOf(played: Played): Record<string, unknown[]> {
  const log: Record<string, unknown[]> = {};
  for (const event of played.events) {
    if (event.type === 'timer.fired') continue;
    (log['step' in event ? event.step : '@run'] ??= []).push(told(event));
  }
  const key = JSON.stringify(log).replaceAll(played.runId, 'run');
  return JSON.parse(key) as Record<string, unknown[]>;
}

test.concurrent('decision 8: continue-as-new at every rest leaves the same record as none', async () => {
  const scenario: Scenario = { plan: everyKind, script: everyKindScript };
  const [straight, continued] = await Promise.all([
    stage.play(scenario),
    stage.play({ ...scenario, seat: { continueAfterEvents: 1 } }),
  ]);
  expect(straight.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(straight.histories).toHaveLength(1);
  expect(continued.histories.length).toBeGreaterThan(8);
  expect(continued.ended).toEqual(straight.ended);
  expect(logOf(continued)).toEqual(logOf(straight));
});

test.concurrent('decision 8: a run that was cancelled between two seats ends', async () => {
  const played = await stage.play({
    plan: plan([{ ...agent, loop: loopTo('work', { limit: null }) }]),
    script: { judge: (input) => judgedAs('fail', input) },
    seat: { continueAfterEvents: 1 },
    drive: async ({ world, send }) => {
      await world.called('attempt', 3);
      expect(await send({ kind: 'cancel', id: 'message_1', reason: 'enough' })).toEqual({ kind: 'applied' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
});

/** The record of a run until just after the event that `matches`. */
function pastOf(played: Played, matches: (event: RunEvent) => boolean): StoredEvent[] {
  return played.stored.slice(0, played.events.findIndex(matches) + 1);
}

function resumed(runPlan: Plan, past: StoredEvent[]) {
  const state = fold(
    runPlan,
    past.map(({ event }) => event),
  );
  return { state, seq: past.length };
}

test.concurrent('decision 13: a seat after a lost one looks up what was under way and goes on', async () => {
  const runPlan = plan([agent]);
  const script: Script = { judge: (input) => judgedAs(input.pass === 1 ? 'fail' : 'pass', input) };
  const first = await stage.play({ plan: runPlan, script });
  const past = pastOf(first, (event) => event.type === 'attempt.started' && event.pass === 2);
  const second = await stage.play({
    plan: runPlan,
    past,
    script: { ...script, recoverAttempt: () => ({ kind: 'finished', result: worked(8) }) },
    seat: { runId: first.runId, seat: 2, resume: { ...resumed(runPlan, past), reason: 'lost' } },
  });
  expect(second.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(second.events[past.length]).toMatchObject({ type: 'run.reseated', seat: 2 });
  expect(second.world.inputsOf('recoverAttempt')).toEqual([{ runId: first.runId, step: 'work', pass: 2, attempt: 1 }]);
  expect(second.world.inputsOf('attempt')).toEqual([]);
  expect(second.world.inputsOf('openWorkspace')).toEqual([]);
});

test.concurrent('E8: a seat that retries a run which had ended starts from its message, with fresh counters', async () => {
  const runPlan = plan([{ ...agent, loop: loopTo('work', { limit: 1 }) }]);
  const first = await stage.play({ plan: runPlan, script: { judge: (input) => judgedAs('fail', input) } });
  expect(first.ended).toEqual({ as: 'completed', stop: 'exhausted' });
  const second = await stage.play({
    plan: runPlan,
    past: first.stored,
    script: { judge: (input) => judgedAs(input.pass < 4 ? 'fail' : 'pass', input) },
    seat: {
      runId: first.runId,
      seat: 2,
      resume: { ...resumed(runPlan, first.stored), reason: 'retry' },
      message: { kind: 'retry', id: 'message_1' },
    },
  });
  expect(second.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(second.events[first.stored.length]).toMatchObject({ type: 'run.retried', messageId: 'message_1' });
  expect(second.world.inputsOf('attempt').map(({ key }) => key.pass)).toEqual([3, 4]);
});
