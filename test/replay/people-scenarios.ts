import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { callWork, reviewCheck } from '../fakes/people-plans.ts';
import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import type { Recording, Scenario } from '../workflow/harness.ts';
import { judgedAs, worked } from '../workflow/outcomes.ts';
import { childEnds, decides, decisionOn, recorded } from '../workflow/people.ts';
import { door, type Script, untilCancelled } from '../workflow/world.ts';

const children = { child: plan([step('only')]) };
const failOnce: Script = { judge: (input) => judgedAs(input.pass === 1 ? 'fail' : 'pass', input) };
const remark = { by: 'ann', comment: 'again', text: { sha256: 'again', bytes: 1, excerpt: '' } };

function work(change: Partial<StepPlan> = {}): StepPlan {
  return step('work', {
    work: scriptedAgent(['true']),
    checks: [commandCheck('tests')],
    loop: loopTo('work'),
    ...change,
  });
}

const approved: Plan = plan([
  work(),
  step('approve', { after: ['work'], work: personWork({ remindSeconds: 86_400 }), loop: loopTo('work') }),
]);

const once = (scenario: () => Scenario): Recording => {
  return (play) => play(scenario());
};

const pushedBack: Scenario = {
  plan: approved,
  drive: async (live) => {
    await decides(live, { kind: 'push_back', comment: 'name the flag' });
    await decides(live, { kind: 'reject', comment: 'not yet', revision: 2 });
    await decides(live, { kind: 'approve', revision: 3 });
  },
};

const listed = plan(
  [step('call', { work: callWork({ each: { list: '{{inputs.files}}', max: 2 } }), loop: loopTo('call') })],
  {
    children,
  },
);

/** What people do, child runs, and reviews. */
export const peopleRecordings: Record<string, Recording> = {
  'question-pushed-back-rejected-approved': once(() => pushedBack),
  'question-continued-as-new': once(() => ({ ...pushedBack, seat: { continueAfterEvents: 1 } })),
  'question-quorum-and-a-second-decision': once(() => ({
    plan: plan([step('approve', { work: personWork({ quorum: 2 }) })]),
    drive: async (live) => {
      const first = await decisionOn(live.world, { kind: 'approve', by: 'ann' });
      await live.send(first);
      await live.send({ ...first, id: 'the same again' });
      await live.send(await decisionOn(live.world, { kind: 'reject', by: 'ann' }));
      await decides(live, { kind: 'approve', by: 'bob' });
    },
  })),
  'question-reminded-escalated-expired': once(() => {
    const times = { remindSeconds: 0.3, escalate: { to: ['bob'], afterSeconds: 0.5 } };
    const time = { limitSeconds: 1, onExpiry: 'fail' as const };
    return { plan: plan([step('approve', { work: personWork({ ...times, time }) })]) };
  }),
  'question-closed-by-a-cancel': once(() => ({
    plan: approved,
    drive: async ({ world, send }) => {
      await recorded(world, 'task.opened');
      await send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
    },
  })),
  'call-of-a-list-called-again': once(() => ({
    plan: listed,
    drive: async (live) => {
      await childEnds(live, 0, 'failed');
      await childEnds(live, 1);
      await recorded(live.world, 'child.started', 4);
      await childEnds(live, 0);
      await childEnds(live, 1);
    },
  })),
  'call-cancelled': once(() => ({
    plan: plan([step('call', { work: callWork() })], { children, keepBetweenRuns: ['notes/**'] }),
    drive: async (live) => {
      await recorded(live.world, 'child.started');
      await live.send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
      await live.world.called('cancelChild');
      await childEnds(live, 0, 'cancelled');
    },
  })),
  'review-of-the-work': once(() => ({
    plan: plan([work({ checks: [commandCheck('tests'), reviewCheck('review', { consecutive: 2 })] })]),
    script: failOnce,
  })),
  'paused-edited-raised-resumed': once(() => {
    const held = door();
    const tight = plan([work({ loop: loopTo('work', { limit: 0 }) })]);
    const better = { ...tight, steps: tight.steps.map((each) => ({ ...each, timeSeconds: 60 })) };
    return {
      plan: tight,
      script: {
        ...failOnce,
        attempt: async ({ key }) => {
          if (key.pass === 1) await held.opened;
          return worked(key.pass);
        },
      },
      drive: async ({ world, send }) => {
        await world.called('attempt');
        await send({ kind: 'pause', id: 'm1', by: 'ann' });
        await send({ kind: 'edit', id: 'm2', by: 'ann', plan: better });
        await send({ kind: 'raise', id: 'm3', by: 'ann', limits: { passes: 3 } });
        held.open();
        await recorded(world, 'loop.fired');
        await send({ kind: 'resume', id: 'm4', by: 'ann' });
      },
    };
  }),
  'asked-about-the-passes': once(() => ({
    plan: plan([work({ loop: loopTo('work', { limit: 0, onExhausted: 'ask' }) })]),
    script: failOnce,
    drive: (live) => decides(live, { kind: 'push_back', comment: 'use the cache', step: '@limits' }),
  })),
  'held-by-its-source': once(() => ({
    plan: plan([work()]),
    seat: { held: ['nightly'] },
    drive: async ({ world, send }) => {
      await recorded(world, 'run.started');
      await send({ kind: 'hold', id: 'm1', source: 'web' });
      await send({ kind: 'release', id: 'm2', source: 'nightly' });
      await send({ kind: 'release', id: 'm3', source: 'web' });
    },
  })),
  'step-sent-back-by-a-person': once(() => {
    let isFirst = true;
    return {
      plan: plan([work(), step('after', { after: ['work'], work: scriptedAgent(['true']) })]),
      script: {
        attempt: async ({ key }) => {
          if (key.step !== 'after' || !isFirst) return worked(1);
          isFirst = false;
          return untilCancelled();
        },
      },
      drive: async ({ world, send }) => {
        await world.called('attempt', 2);
        await send({ kind: 'pushBack', id: 'm1', by: 'ann', step: 'work', remark });
      },
    };
  }),
};
