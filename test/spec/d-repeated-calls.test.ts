import { describe, expect, test } from 'vitest';

import type { LoopPlan } from '#core/plan/plan.ts';

import { callWork } from '../fakes/people-plans.ts';
import { loopTo, plan, step } from '../fakes/plans.ts';
import { met, unmet } from './outcomes.ts';
import { play, type Play } from './play.ts';

const condition = {
  command: 'grep -q approved review.json',
  compare: 'exitCode' as const,
  returns: '0',
  timeSeconds: 10,
};

/** A child run reviews, again and again, until its verdict is there. */
function reviewed(change: Partial<LoopPlan> = {}): Play {
  const loop = loopTo('review', {
    on: 'always',
    limit: 2,
    repeat: { mode: 'until', condition, onError: 'fail' },
    ...change,
  });
  return play(
    plan([step('review', { work: callWork(), loop })], { children: { child: plan([step('only')]) } }),
  ).opens();
}

function round(run: Play, runId: string, outcome: typeof met): Play {
  return run.startsChild('review', runId).childEnds('review', 0).collects('review').evaluates('review', outcome);
}

describe('D-12: a call that is repeated', () => {
  test('D-12: until its condition is met, each round a child run of its own', () => {
    const run = reviewed();
    round(run, 'run_2', unmet);
    expect(run.last('loop.fired')).toMatchObject({ step: 'review', count: 1, limit: 2 });
    expect(run.underWay).toEqual(['child review#2 [0]']);
    round(run, 'run_3', met);
    expect(run.all('child.started').map(({ runId, pass }) => [runId, pass])).toEqual([
      ['run_2', 1],
      ['run_3', 2],
    ]);
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('D-12: it waits between the rounds, and its limit bounds them', () => {
    const run = reviewed({ wait: { everySeconds: 60, backoff: 2 }, limit: 1 });
    round(run, 'run_2', unmet);
    expect(run.wakesInSeconds).toBe(60);
    round(run.waits(60), 'run_3', unmet);
    expect(run.stop?.kind).toBe('exhausted');
  });

  test('D-12, D-15: a round whose child run failed is repeated, too', () => {
    const run = reviewed().startsChild('review', 'run_2').childEnds('review', 0, 'failed').collects('review');
    run.evaluates('review', unmet);
    expect(run.underWay).toEqual(['child review#2 [0]']);
  });

  test('D-12: what the child run of the round before gave is there for the next one, by name', () => {
    const run = round(reviewed(), 'run_2', unmet);
    expect(run.step('review').result?.output.sha256).toBe('all');
  });
});
