import { expect, test } from 'vitest';
import type { Plan } from '#core/plan/plan.ts';
import { callWork, reviewCheck } from '../fakes/people-plans.ts';
import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { judgedAs, worked } from './outcomes.ts';
import { childEnds, decides, decisionOn, recorded } from './people.ts';
import { useStage } from './use-stage.ts';
import { door, untilCancelled } from './world.ts';

const stage = useStage();

const agent = step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work') });
const approved: Plan = plan([
  { ...agent, id: 'implement', name: 'implement', loop: loopTo('implement') },
  step('approve', { after: ['implement'], work: personWork(), loop: loopTo('implement') }),
]);

test.concurrent('D1: a question holds no slot: no activity is open while it waits', async () => {
  const played = await stage.play({
    plan: approved,
    drive: async (live) => {
      await recorded(live.world, 'task.opened');
      const { raw } = await live.handle.describe();
      expect(raw.pendingActivities ?? []).toEqual([]);
      await decides(live, { kind: 'approve' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.summaries.some(({ status, task }) => status === 'waiting' && task !== undefined)).toBe(true);
});

test.concurrent('D3: a push back reaches the agent with who and what, and the question opens again', async () => {
  const played = await stage.play({
    plan: approved,
    drive: async (live) => {
      await decides(live, { kind: 'push_back', comment: 'name the flag' });
      await decides(live, { kind: 'approve', revision: 2 });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.world.inputsOf('attempt')[1]?.scope.feedback).toMatchObject([{ by: 'ann', summary: 'name the flag' }]);
});

test.concurrent('decision 8, D1: an open question survives continue-as-new at rest, again and again', async () => {
  const played = await stage.play({
    plan: approved,
    seat: { continueAfterEvents: 1 },
    drive: async (live) => {
      await decides(live, { kind: 'push_back', comment: 'once more' });
      await decides(live, { kind: 'approve', revision: 2 });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.histories.length).toBeGreaterThan(4);
});

test.concurrent('D2: of two opposite decisions at the same time one is applied and one is refused', async () => {
  const both = plan([
    step('approve', { work: personWork(), continueOnError: true }),
    step('last', { after: ['approve'], work: personWork() }),
  ]);
  const played = await stage.play({
    plan: both,
    drive: async (live) => {
      const yes = await decisionOn(live.world, { kind: 'approve', by: 'ann' });
      const no = await decisionOn(live.world, { kind: 'reject', by: 'bob' });
      const answers = await Promise.all([live.send(yes), live.send(no)]);
      expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['applied', 'refused']);
      expect(answers).toContainEqual(expect.objectContaining({ kind: 'refused', code: 'task/decided' }));
      await decides(live, { kind: 'approve', step: 'last' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  const decided = played.events.filter((event) => event.type === 'task.decided' && event.step === 'approve');
  expect(decided).toHaveLength(1);
});

test.concurrent('D5: a question that nobody answers expires by a durable timer', async () => {
  const time = { limitSeconds: 1, onExpiry: 'skip' as const };
  const played = await stage.play({ plan: plan([step('approve', { work: personWork({ time }) })]) });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types).toContain('task.expired');
});

const calling = plan([step('call', { work: callWork({ each: { list: '{{inputs.files}}', max: 2 } }) })], {
  children: { child: plan([step('only')]) },
});

test.concurrent('A1: a call of a list starts a child for each item, and its spend counts', async () => {
  const played = await stage.play({
    plan: calling,
    drive: async (live) => {
      await childEnds(live, 1);
      await childEnds(live, 0);
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.world.inputsOf('startChild').map(({ scope }) => scope.item?.text)).toEqual(['one', 'two']);
  expect(played.world.inputsOf('collect')[0]?.children.map(({ item }) => item)).toEqual(['one', 'two']);
  expect(played.summaries.at(-1)?.spendUsd).toBe(1);
});

test.concurrent('E3: a cancel reaches the child runs, and the run ends after them', async () => {
  const played = await stage.play({
    plan: calling,
    drive: async (live) => {
      await recorded(live.world, 'child.started', 2);
      await live.send({ kind: 'cancel', id: 'message_1', reason: 'not needed' });
      await live.world.called('cancelChild', 2);
      await childEnds(live, 0, 'cancelled');
      await childEnds(live, 1, 'cancelled');
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'cancelled' });
});

test.concurrent('B2, B5: a review is asked of the host after the hard checks, and its spend counts', async () => {
  const reviewed = { ...agent, checks: [commandCheck('tests'), reviewCheck('review')] };
  const played = await stage.play({
    plan: plan([reviewed]),
    script: { judge: (input) => judgedAs(input.pass === 1 ? 'fail' : 'pass', input) },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.world.inputsOf('review').map(({ pass }) => pass)).toEqual([2]);
  expect(played.summaries.at(-1)?.spendUsd).toBeCloseTo(0.6);
});

test.concurrent('E3: pause, edit, raise and resume are answered at once and count from the next pass', async () => {
  const held = door();
  const tight = plan([{ ...agent, loop: loopTo('work', { limit: 0 }) }]);
  const edited = {
    ...tight,
    steps: tight.steps.map((each) => ({ ...each, work: scriptedAgent(['true'], 'Better.') })),
  };
  const played = await stage.play({
    plan: tight,
    script: {
      attempt: async ({ key }) => {
        if (key.pass === 1) await held.opened;
        return worked(key.pass);
      },
      judge: (input) => judgedAs(input.pass === 1 ? 'fail' : 'pass', input),
    },
    drive: async ({ world, send }) => {
      await world.called('attempt');
      expect(await send({ kind: 'pause', id: 'm1', by: 'ann' })).toEqual({ kind: 'applied' });
      expect(await send({ kind: 'edit', id: 'm2', by: 'ann', plan: edited })).toEqual({ kind: 'applied' });
      expect(await send({ kind: 'raise', id: 'm3', by: 'ann', limits: { passes: 3 } })).toEqual({ kind: 'applied' });
      held.open();
      await recorded(world, 'loop.fired');
      expect(world.inputsOf('attempt')).toHaveLength(1);
      expect(await send({ kind: 'resume', id: 'm4', by: 'ann' })).toEqual({ kind: 'applied' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  const prompts = played.world
    .inputsOf('attempt')
    .map(({ step: { work } }) => (work.kind === 'agent' ? work.prompt : ''));
  expect(prompts).toEqual(['Do it.', 'Better.']);
});

test.concurrent('C7: a person is asked about the passes, and approving gives as many again', async () => {
  const asking = { ...agent, loop: loopTo('work', { limit: 0, onExhausted: 'ask' as const }) };
  const played = await stage.play({
    plan: plan([asking]),
    script: { judge: (input) => judgedAs(input.pass === 1 ? 'fail' : 'pass', input) },
    drive: (live) => decides(live, { kind: 'approve', step: '@limits' }),
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.world.inputsOf('attempt').map(({ key }) => key.pass)).toEqual([1, 2]);
});

test.concurrent('E-19: a run whose source is off from the start begins nothing until it is on', async () => {
  const played = await stage.play({
    plan: plan([agent]),
    seat: { held: ['nightly'] },
    drive: async ({ world, send }) => {
      await recorded(world, 'run.started');
      expect(world.inputsOf('openWorkspace')).toEqual([]);
      await send({ kind: 'release', id: 'm1', source: 'nightly' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
});

test.concurrent('D3, C4: a step that is sent back cancels what runs after it', async () => {
  const after = step('after', { after: ['work'], work: scriptedAgent(['true']) });
  const remark = { by: 'ann', comment: 'again', text: { sha256: 'again', bytes: 1, excerpt: '' } };
  let isFirst = true;
  const played = await stage.play({
    plan: plan([agent, after]),
    script: {
      attempt: async ({ key }) => {
        if (key.step === 'after' && isFirst) {
          isFirst = false;
          return untilCancelled();
        }
        return worked(1);
      },
    },
    drive: async ({ world, send }) => {
      await world.called('attempt', 2);
      expect(await send({ kind: 'pushBack', id: 'm1', by: 'ann', step: 'work', remark })).toEqual({ kind: 'applied' });
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types).toContain('step.pushed_back');
  expect(played.types).toContain('work.cancelled');
});
