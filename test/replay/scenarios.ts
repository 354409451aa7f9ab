import { ApplicationFailure } from '@temporalio/common';
import { fold } from '#core/run/apply.ts';
import type { StoredEvent } from '#core/run/event.ts';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import type { Played, Recording, Scenario } from '../workflow/harness.ts';
import { judgedAs, worked } from '../workflow/outcomes.ts';
import { type Script, untilCancelled } from '../workflow/world.ts';
import { handlerRecordings } from './handler-scenarios.ts';
import { laneRecordings } from './lane-scenarios.ts';
import { peopleRecordings } from './people-scenarios.ts';

const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };
const work = step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work') });
const failUntil = (pass: number): Script => ({
  judge: (input) => judgedAs(input.pass < pass ? 'fail' : 'pass', input),
});
const once = (scenario: Scenario): Recording => {
  return (play) => play(scenario);
};

function crash(code: string): never {
  throw ApplicationFailure.create({ type: code, message: 'The host died.', nonRetryable: false });
}

const everyKind: Scenario = {
  plan: plan(
    [
      { ...work, when: { condition, onUnmet: 'skip', onError: 'fail' } },
      step('lint', {
        after: ['work'],
        checks: [commandCheck('lint')],
        loop: loopTo('work', { wait: { everySeconds: 0.2, backoff: 1 } }),
      }),
      step('read', { after: ['work'], readOnly: true }),
    ],
    { baseline: 'report', deliver: { mode: 'branch' } },
  ),
  script: { judge: (input) => judgedAs(input.step !== '@baseline' && input.pass === 1 ? 'fail' : 'pass', input) },
};

/** A record that breaks off while the attempt of its second pass was under way. */
async function brokenOff(play: (scenario: Scenario) => Promise<Played>): Promise<Played & { past: StoredEvent[] }> {
  const played = await play({ plan: plan([work]), script: failUntil(2) });
  const at = played.events.findIndex((event) => event.type === 'attempt.started' && event.pass === 2);
  return { ...played, past: played.stored.slice(0, at + 1) };
}

function endsExhausted(events: StoredEvent[]): boolean {
  const last = events.at(-1)?.event;
  return last?.type === 'run.stopped' && last.stop.kind === 'exhausted';
}

function resumeFrom({ plan: from }: Played, past: StoredEvent[]) {
  return {
    state: fold(
      from,
      past.map(({ event }) => event),
    ),
    seq: past.length,
  };
}

/** By name of the committed history. */
export const recordings: Record<string, Recording> = {
  ...peopleRecordings,
  ...handlerRecordings,
  ...laneRecordings,
  'every-kind-of-work': once(everyKind),
  'every-kind-continued-as-new': once({ ...everyKind, seat: { continueAfterEvents: 1 } }),
  'passes-exhausted': once({ plan: plan([{ ...work, loop: loopTo('work', { limit: 2 }) }]), script: failUntil(9) }),
  'cancelled-in-an-attempt': once({
    plan: plan([work]),
    script: { attempt: () => untilCancelled() },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      await send({ kind: 'retry', id: 'message_1' });
      await send({ kind: 'cancel', id: 'message_2', reason: 'not needed' });
    },
  }),
  'cancelled-by-the-engine': once({
    plan: plan([work]),
    script: { openWorkspace: () => untilCancelled() },
    drive: async ({ world, handle }) => {
      await world.called('openWorkspace');
      await handle.cancel();
    },
  }),
  'time-limit-in-an-attempt': once({
    plan: plan([work], { limits: { timeSeconds: 2, noProgress: 2, onTime: 'fail', onSpend: 'pause' } }),
    script: { attempt: (_input, call) => (call === 1 ? worked(1) : untilCancelled()), ...failUntil(3) },
  }),
  'retry-after-overload-and-quota': once({
    plan: plan([{ ...work, retry: { on: 'infrastructure', limit: 1, everySeconds: 1, backoff: 1 } }]),
    script: {
      attempt: (_input, call) => {
        if (call === 1) return worked(1, { kind: 'overload', reason: 'busy' });
        if (call === 2) return worked(2, { kind: 'quota', reason: 'usage limit', resetAtMs: Date.now() + 1500 });
        return worked(3);
      },
    },
  }),
  'crashes-lost-resumable-finished': once({
    plan: plan([work]),
    script: {
      attempt: (_input, call) => (call <= 3 ? crash(call === 1 ? 'host/crashed' : 'host/stopping') : worked(call)),
      recoverAttempt: (_key, call) => {
        if (call === 1) return { kind: 'lost', spend: { estimated: false, inputTokens: 1, outputTokens: 1 } };
        return call === 2 ? { kind: 'resumable' } : { kind: 'finished', result: worked(9) };
      },
    },
  }),
  'database-away': once({
    plan: plan([work]),
    script: {
      ...failUntil(3),
      recordEvents: (_input, call) => {
        if (call === 1) throw ApplicationFailure.nonRetryable('no connection');
        return call <= 3 ? 'later' : 'recorded';
      },
    },
  }),
  'retried-while-closing': once({
    plan: plan([{ ...work, loop: loopTo('work', { limit: 1 }) }]),
    script: {
      ...failUntil(3),
      // Away until the run was retried.
      recordEvents: ({ events }) => (endsExhausted(events) ? 'later' : 'recorded'),
    },
    drive: async ({ world, send }) => {
      await world.until(() => world.inputsOf('recordEvents').some(({ events }) => endsExhausted(events)));
      await send({ kind: 'retry', id: 'message_1' });
    },
  }),
  'seat-after-a-lost-one': async (play) => {
    const first = await brokenOff(play);
    return play({
      plan: first.plan,
      past: first.past,
      script: { recoverAttempt: () => ({ kind: 'finished', result: worked(8) }) },
      seat: { runId: first.runId, seat: 2, resume: { ...resumeFrom(first, first.past), reason: 'lost' } },
    });
  },
  'two-look-ups-beside-a-failing-recorder': async (play) => {
    const sideBySide = plan([step('write'), step('read', { readOnly: true })]);
    const first = await play({ plan: sideBySide });
    const at = first.types.lastIndexOf('attempt.started');
    const past = first.stored.slice(0, at + 1);
    return play({
      plan: sideBySide,
      past,
      script: {
        recoverAttempt: () => ({ kind: 'resumable' }),
        recordEvents: (_input, call) => {
          if (call <= 2) throw ApplicationFailure.nonRetryable('no connection');
          return 'recorded';
        },
      },
      seat: { runId: first.runId, seat: 2, resume: { ...resumeFrom(first, past), reason: 'lost' } },
    });
  },
  'seat-of-a-retry': async (play) => {
    const first = await play({
      plan: plan([{ ...work, loop: loopTo('work', { limit: 1 }) }]),
      script: failUntil(9),
    });
    return play({
      plan: first.plan,
      past: first.stored,
      script: failUntil(4),
      seat: {
        runId: first.runId,
        seat: 2,
        resume: { ...resumeFrom(first, first.stored), reason: 'retry' },
        message: { kind: 'retry', id: 'message_1' },
      },
    });
  },
  'superseded-by-another-seat': once({
    plan: plan([work]),
    script: {
      attempt: () => untilCancelled(),
      recordEvents: ({ events }) =>
        events.some(({ event }) => event.type === 'attempt.started') ? 'superseded' : 'recorded',
    },
  }),
};
