import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { withTemporal } from '../integration/with-temporal.ts';
import { bundleSources } from './bundle.ts';
import { openStage, type Stage } from './harness.ts';
import { queuesOf } from './histories.ts';
import { judgedAs } from './outcomes.ts';
import { expectWhole } from './whole.ts';

let stage: Stage;
beforeAll(async () => {
  const [{ address }, bundle] = await Promise.all([withTemporal(), bundleSources()]);
  stage = await openStage({ address, bundle });
});
afterAll(() => stage.close());

const loop = (limit: number) =>
  step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work', { limit }) });

test('C2: a failing check sends the step back until it passes', async () => {
  const played = await stage.play({
    plan: plan([loop(4)], { deliver: { mode: 'branch' } }),
    script: { judge: (input) => judgedAs(input.pass < 3 ? 'fail' : 'pass', input) },
  });
  expectWhole(played);
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types.filter((type) => type === 'loop.fired')).toHaveLength(2);
  expect(played.world.inputsOf('attempt').map(({ key }) => key.pass)).toEqual([1, 2, 3]);
  expect(queuesOf(played.histories, 'openWorkspace')).toEqual(['setpoint-placement']);
  expect(new Set(queuesOf(played.histories, 'attempt'))).toEqual(new Set(['host']));
});
