import { describe, expect, test } from 'vitest';

import { apply } from '#core/run/apply.ts';
import { forkPoint } from '#core/run/fork.ts';
import type { Plan } from '#core/plan/plan.ts';

import { commandCheck, loopTo, plan, step } from '../fakes/plans.ts';
import { ended, fails, ok, snapshotOf } from './outcomes.ts';
import { play } from './play.ts';

const failed = { kind: 'failed', reason: 'no' } as const;

function laned(steps: Plan['steps'], lane: 'run' | 'pass' = 'pass'): Plan {
  const { workspace } = plan(steps);
  return plan(steps, { workspace: { ...workspace, lane } });
}

const looping = [step('work', { checks: [commandCheck('tests')], loop: loopTo('work') })];

describe('F1, E-10: a lane for each pass', () => {
  test('E-10: the next pass begins in a worktree of its own, from the last snapshot, set back first', () => {
    const run = play(laned(looping)).opens();
    expect(run.input('work').workspace.path).toBe('/work');
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests'));
    expect(run.input('work')).toMatchObject({ workspace: { path: '/work-2' }, from: { tree: 'a' }, restore: true });
    expect(run.all('lane.admitted')).toMatchObject([{ number: 2, path: '/work-2' }]);
    expect(run.state.workspace.path).toBe('/work-2');
    run.attempts('work', ok({ tree: 'b' })).judges('work', fails('tests'));
    expect(run.input('work').workspace.path).toBe('/work-3');
  });

  test('E-10: the lane before stays the run’s while the loop waits for its next pass', () => {
    const wait = { everySeconds: 60, backoff: 1 };
    const run = play(laned([step('work', { loop: loopTo('work', { wait }) })])).opens();
    run.attempts('work', ended(failed));
    expect([run.state.workspace.path, run.underWay]).toEqual(['/work', []]);
    run.waits(60);
    expect(run.state.workspace.path).toBe('/work-2');
  });

  test('E5: an attempt that is begun again within its pass stays in its lane', () => {
    const run = play(laned(looping)).opens();
    run.attempts('work', ended({ kind: 'crashed', reason: 'killed' }));
    expect(run.input('work').workspace.path).toBe('/work');
    expect(run.all('lane.admitted')).toEqual([]);
  });

  test('E-10: of a loop over several steps the pass has one lane, which its first writer begins and its checks are judged in', () => {
    const look = step('look', { readOnly: true });
    const steps = [
      look,
      step('implement', { after: ['look'] }),
      step('test', { after: ['implement'], loop: loopTo('look') }),
    ];
    const run = play(laned(steps)).opens();
    run
      .attempts('look', ok())
      .attempts('implement', ok({ tree: 'a' }))
      .attempts('test', ended(failed, { tree: 'a' }));
    expect(run.input('look').workspace.path).toBe('/work');
    run.attempts('look', ok());
    expect(run.input('implement').workspace.path).toBe('/work-2');
    run.attempts('implement', ok({ tree: 'b' }));
    expect(run.input('test').workspace.path).toBe('/work-2');
    expect(run.all('lane.admitted')).toHaveLength(1);
  });

  test('E8: a fork begins in a first lane of its own', () => {
    const run = play(laned(looping)).opens();
    run
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'))
      .attempts('work', ok({ tree: 'b' }));
    const events = run.events.map((event, index) => ({ seq: index + 1, event }));
    const point = forkPoint(run.plan, events, { step: 'work', pass: 2 });
    if (point.kind !== 'found') throw new TypeError('there is such a pass');
    const opened = { hostId: 'host', queue: 'host', path: '/fork', base: snapshotOf('base'), notes: [] };
    const { workspace } = apply(run.plan, point.state, { type: 'workspace.opened', at: run.clock, ...opened });
    expect(workspace).toMatchObject({ path: '/fork', lane: { number: 1, first: '/fork' }, snapshot: { tree: 'b' } });
  });

  test('F1: with one lane for the run every pass works in the same worktree', () => {
    const run = play(laned(looping, 'run')).opens();
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests'));
    expect(run.input('work').workspace.path).toBe('/work');
    expect(run.all('lane.admitted')).toEqual([]);
  });
});
