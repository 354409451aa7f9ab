import { expect, test } from 'vitest';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { queuesOf } from './histories.ts';
import { judgedAs, worked } from './outcomes.ts';
import { useStage } from './use-stage.ts';

const stage = useStage();

const looping = (limit: number) =>
  step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work', { limit }) });

test.concurrent('C2: a failing check sends the step back until it passes', async () => {
  const played = await stage.play({
    plan: plan([looping(4)], { deliver: { mode: 'branch' } }),
    script: { judge: (input) => judgedAs(input.pass < 3 ? 'fail' : 'pass', input) },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types.filter((type) => type === 'loop.fired')).toHaveLength(2);
  expect(played.world.inputsOf('attempt').map(({ key }) => key.pass)).toEqual([1, 2, 3]);
  expect(played.world.inputsOf('attempt')[1]?.scope.feedback).not.toEqual([]);
  expect(played.world.inputsOf('deliver').map(({ verified }) => verified.tree)).toEqual(['tree3']);
});

test.concurrent('decision 5: the workspace is opened by any host, and all other work goes to the host that opened it', async () => {
  const played = await stage.play({ plan: plan([looping(1)], { deliver: { mode: 'branch' } }) });
  expect(queuesOf(played.histories, 'openWorkspace')).toEqual(['setpoint-placement']);
  for (const name of ['attempt', 'judge', 'deliver']) expect(queuesOf(played.histories, name)).toEqual(['host']);
});

test.concurrent('C7: running out of passes is an outcome, not an error', async () => {
  const played = await stage.play({
    plan: plan([looping(1)]),
    script: { judge: (input) => judgedAs('fail', input) },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'exhausted' });
  expect(played.world.inputsOf('attempt')).toHaveLength(2);
});

test.concurrent('C8: the same tree with the same findings stops the run before its passes are spent', async () => {
  const played = await stage.play({
    plan: plan([looping(20)]),
    script: { attempt: () => worked(1), judge: (input) => judgedAs('fail', input, 'same') },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'no_progress' });
  expect(played.world.inputsOf('attempt')).toHaveLength(3);
});

test.concurrent('C5: the wait of a loop is a durable timer', async () => {
  const waiting = { ...looping(2), loop: loopTo('work', { limit: 2, wait: { everySeconds: 1, backoff: 1 } }) };
  const played = await stage.play({
    plan: plan([waiting]),
    script: { judge: (input) => judgedAs(input.pass < 2 ? 'fail' : 'pass', input) },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  const fired = played.events.find(({ type }) => type === 'loop.fired');
  const again = played.events.find((event) => event.type === 'attempt.started' && event.pass === 2);
  expect((again?.at ?? 0) - (fired?.at ?? 0)).toBeGreaterThanOrEqual(1000);
  expect(played.types).toContain('timer.fired');
});
