import { fold } from '#core/run/apply.ts';
import { plan, scriptedAgent, step } from '../fakes/plans.ts';
import type { Recording, Scenario } from '../workflow/harness.ts';
import { worked } from '../workflow/outcomes.ts';
import { type Script, untilCancelled } from '../workflow/world.ts';

const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };
const retry = { on: 'failure' as const, limit: 1, everySeconds: 0.2, backoff: 1 };
const handled = plan([step('work', { work: scriptedAgent(['true']) })], {
  deliver: { mode: 'branch' },
  keepBetweenRuns: ['notes/**'],
  handlers: {
    success: step('on-success', { retry }),
    failure: step('on-failure'),
    cancel: step('on-cancel'),
    exit: step('on-exit', { when: { condition, onUnmet: 'skip', onError: 'pause' } }),
  },
});
const failed = { kind: 'failed' as const, reason: 'exit 1' };
/** Those fail, in their first attempt of a pass. */
const failing = (...steps: string[]): Script => ({
  attempt: ({ key }) => worked(1, key.attempt === 1 && steps.includes(key.step) ? failed : { kind: 'ok' }),
});
const once = (scenario: Scenario): Recording => {
  return (play) => play(scenario);
};

/** What runs once the end is known, what is skipped along, and what lets a failure go. */
export const handlerRecordings: Record<string, Recording> = {
  'handlers-after-a-delivery': once({ plan: handled, script: failing('on-success') }),
  'handlers-after-a-failure-continued-as-new': once({
    plan: handled,
    script: failing('work'),
    seat: { continueAfterEvents: 1 },
  }),
  'handlers-cancelled': once({
    plan: handled,
    script: { attempt: () => untilCancelled() },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
      await world.called('attempt', 2);
      await send({ kind: 'cancel', id: 'message_2', reason: 'at once' });
    },
  }),
  'handlers-run-again-by-a-retry': async (play) => {
    const first = await play({ plan: handled, script: failing('work') });
    const state = fold(
      handled,
      first.stored.map(({ event }) => event),
    );
    return play({
      plan: handled,
      past: first.stored,
      seat: {
        runId: first.runId,
        seat: 2,
        resume: { state, seq: first.stored.length, reason: 'retry' },
        message: { kind: 'retry', id: 'message_1' },
      },
    });
  },
  'handler-of-a-lost-seat': async (play) => {
    const first = await play({ plan: handled, script: failing('work') });
    const at = first.events.findIndex((event) => event.type === 'attempt.started' && event.step === 'on-failure');
    const past = first.stored.slice(0, at + 1);
    const state = fold(
      handled,
      past.map(({ event }) => event),
    );
    return play({
      plan: handled,
      past,
      script: { recoverAttempt: () => ({ kind: 'finished', result: worked(8) }) },
      seat: { runId: first.runId, seat: 2, resume: { state, seq: past.length, reason: 'lost' } },
    });
  },
  'skipped-along-and-let-go': once({
    plan: plan([
      step('maybe', { when: { condition, onUnmet: 'skip', onError: 'fail' }, skipsDependents: true }),
      step('then', { after: ['maybe'] }),
      step('try', { continueOn: { exitCodes: [3], markSuccess: true } }),
      step('last', { after: ['try'] }),
    ]),
    script: {
      evaluate: () => ({ kind: 'unmet', actual: '1' }),
      attempt: ({ key }) => (key.step === 'try' ? { ...worked(1, failed), exitCode: 3 } : worked(2)),
    },
  }),
};
