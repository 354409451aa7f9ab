import { expect, test } from 'vitest';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { eventsPerTurn } from './histories.ts';
import { judgedAs } from './outcomes.ts';
import { useStage } from './use-stage.ts';

const stage = useStage();
/** docs/architecture.md: a pass of an agent with one check costs two host activities, so about 13 events. */
const mostEvents = 14;
/** Of history, to hand over to the next seat. */
const handOver = 6;

async function costOf(passes: number, continueAfterEvents?: number) {
  const looping = step('work', {
    work: scriptedAgent(['true']),
    checks: [commandCheck('tests')],
    loop: loopTo('work', { limit: passes }),
  });
  const played = await stage.play({
    plan: plan([looping]),
    script: { judge: (input) => judgedAs(input.pass < passes ? 'fail' : 'pass', input) },
    ...(continueAfterEvents === undefined ? {} : { seat: { continueAfterEvents } }),
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  return { events: eventsPerTurn(played.histories, 'attempt'), seats: played.seats.length };
}

test('a pass costs at most 14 events of history, and the fiftieth as much as the tenth', async () => {
  const ten = await costOf(10);
  expect(ten.events).toBeLessThanOrEqual(mostEvents);
  const fifty = await costOf(50, 250);
  expect(fifty.seats).toBeGreaterThan(1);
  expect(fifty.events).toBeLessThanOrEqual(mostEvents + (handOver * (fifty.seats - 1)) / 49);
});
