import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StackRole } from '#core/contract/stack.ts';
import { fold } from '#core/run/apply.ts';
import { type AskingRun, makeSharedRepository } from './asking-run.ts';
import { brokenTasks } from './broken-tasks.ts';
import { eventsOf } from './held-run.ts';
import {
  holdsNextPass,
  isAsked,
  type PeopleMoment,
  peopleMoments,
  type PeopleScene,
  pushedBack,
  setPeopleScene,
} from './people-moments.ts';
import { startTestStack, type TestStack } from './stack.ts';
import { until } from './until.ts';

const roles = ['host', 'control', 'api', 'temporal', 'postgres', 'supervisor'] as const;
const victims = [...roles, 'everything'] as const;
type Victim = (typeof victims)[number];

let stack: TestStack;
let repo: string;

beforeAll(async () => {
  stack = await startTestStack();
  repo = await makeSharedRepository(stack);
});

afterAll(() => stack?.close());

for (const victim of victims) {
  describe(`kill -9 of the ${victim}`, () => {
    let scene: PeopleScene;
    let pids: ReadonlyMap<StackRole, number>;

    beforeAll(async () => {
      await stack.up();
      pids = new Map(roles.map((role) => [role, stack.pid(role)]));
      scene = await setPeopleScene(stack, repo, momentsOf(victim));
      await expectHeld(scene);
      await kill(victim, scene);
      await scene.release();
      for (const moment of scene.moments) scene.run(moment).letGo();
    });

    afterAll(async () => {
      await scene?.release();
    });

    for (const moment of momentsOf(victim).filter(isAsked)) {
      test(`D2, E5: ${moment}: it counts once, is not lost, and no attempt before it is repeated`, async () => {
        const run = scene.run(moment);
        await run.decide(pushedBack(run));
        await run.asks(2);
        await run.decide({ decision: 'approve', decisionId: `yes_${run.runId}`, revision: 2 });
        const side = endsProcesses(victim) ? 2 : 1;
        await expectEnded(run, { work: 2, ...(holdsNextPass(moment) ? { side } : {}) });
        const events = await run.events();
        const decided = eventsOf(events, 'task.decided').map(({ messageId, revision, final }) => [
          messageId,
          revision,
          final,
        ]);
        expect(decided).toEqual([
          [`back_${run.runId}`, 1, true],
          [`yes_${run.runId}`, 2, true],
        ]);
        const attempts = eventsOf(events, 'attempt.started').filter(({ step }) => step === 'work');
        expect(attempts.map(({ pass, attempt }) => [pass, attempt])).toEqual([
          [1, 1],
          [2, 1],
        ]);
      });
    }

    for (const moment of momentsOf(victim).filter((each) => each === 'a child run runs')) {
      test(`C4, E5: while ${moment}, it is the only one, and its end counts once`, async () => {
        const run = scene.run(moment);
        await expectEnded(run, { child: endsProcesses(victim) ? 2 : 1, after: 1 });
        const events = await run.events();
        expect(eventsOf(events, 'child.started')).toHaveLength(1);
        expect(eventsOf(events, 'child.settled')).toHaveLength(1);
      });
    }

    for (const moment of momentsOf(victim).filter((each) => each === 'paused by a person')) {
      test(`E3: a run that is ${moment} stays paused, and goes on when it is resumed`, async () => {
        const run = scene.run(moment);
        const { summary } = await until('the API shows it', () => run.shown().catch(() => undefined));
        expect([summary.status, run.starts('after')]).toEqual(['paused', 0]);
        await stack.call(`/v1/runs/${run.runId}/resume`, {});
        await expectEnded(run, { work: 1, after: 1 });
      });
    }

    test('afterwards every process is there, and those that were not killed are the same as before', async () => {
      await stack.up();
      const same = roles.filter((role) => stack.pid(role) === pids.get(role));
      expect(same).toEqual(roles.filter((role) => role !== victim && victim !== 'everything'));
    });
  });
}

/** A child run is met by those that carry it, a pause by the whole. */
function momentsOf(victim: Victim): PeopleMoment[] {
  const child = victim === 'control' || victim === 'everything';
  return peopleMoments.filter((moment) => {
    if (moment === 'a child run runs') return child;
    return moment !== 'paused by a person' || victim === 'everything';
  });
}

/** Nothing of the next pass has begun, and two decisions have no answer. */
async function expectHeld(scene: PeopleScene): Promise<void> {
  const asked = scene.moments.filter(isAsked).map((moment) => scene.run(moment));
  const answers = await stack.query<{ runId: string; status: string }>(
    `select run_id as "runId", status from messages where kind = 'decide' and run_id = any($1)`,
    [asked.map(({ runId }) => runId)],
  );
  const found = asked.map((run) => [answers.find(({ runId }) => runId === run.runId)?.status, run.starts('work')]);
  expect(found).toEqual([
    [undefined, 1],
    ['pending', 1],
    ['pending', 1],
    ['applied', 1],
  ]);
}

/** Does it end what the runs have under way? */
function endsProcesses(victim: Victim): boolean {
  return victim === 'host' || victim === 'everything';
}

async function kill(victim: Victim, scene: PeopleScene): Promise<void> {
  if (victim !== 'everything') return stack.kill(victim);
  await Promise.all(roles.map((role) => stack.kill(role)));
  await scene.release();
  await stack.up();
}

/** It succeeded, its record is whole and tells the same, and its commands were started as often as expected. */
async function expectEnded(run: AskingRun, starts: Readonly<Record<string, number>>): Promise<void> {
  const { plan, summary } = await run.ended();
  const events = await run.events();
  const folded = fold(
    plan,
    events.map(({ event }) => event),
  );
  const found = {
    stop: summary.stop?.kind,
    folded: folded.stop?.kind,
    gapless: events.every(({ seq }, index) => seq === index + 1),
    brokenTasks: await brokenTasks(stack, run.runId),
    starts: Object.fromEntries(Object.keys(starts).map((name) => [name, run.starts(name)])),
    // Of no test, but of whoever reads that one failed.
    story: events.map(({ event }) => event.type),
  };
  const ended = { stop: 'succeeded', folded: 'succeeded', gapless: true, brokenTasks: [] };
  expect(found).toEqual({ ...ended, starts, story: found.story });
}
