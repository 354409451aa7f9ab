import { describe, expect, test } from 'vitest';

import { next } from '#core/run/next.ts';
import { isBusy, restoredState, type RunState } from '#core/run/state.ts';

import { callWork, reviewCheck } from '../fakes/people-plans.ts';
import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { exited, fails, ok, passes } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const tests = commandCheck('tests');
const children = { child: plan([step('only')]) };

/** Runs in the middle of what this version learned, each by what it waits for. */
const middles: [string, () => Play][] = [
  [
    'an open question',
    () =>
      play(plan([step('approve', { work: personWork({ quorum: 2 }) })]))
        .opens()
        .asks('approve'),
  ],
  [
    'a child run',
    () =>
      play(plan([step('call', { work: callWork() })], { children }))
        .opens()
        .startsChild('call', 'run_c'),
  ],
  [
    'a question about a limit',
    () =>
      play(plan([step('work', { loop: loopTo('work', { limit: 0, onExhausted: 'ask' }) })]))
        .opens()
        .attempts('work', exited(1, { tree: 'a' })),
  ],
  [
    'a person who paused it',
    () =>
      play(plan([step('work', { work: agent, loop: loopTo('work') })]))
        .opens()
        .says({ kind: 'pause', id: 'm1', by: 'ann' })
        .attempts('work', exited(1, { tree: 'a' })),
  ],
];

describe('decision 8: a run that waits is at rest, and is handed over whole', () => {
  test.each(middles)('decision 8: %s holds no seat and survives JSON', (_what, middle) => {
    const run = middle();
    expect(isBusy(run.state)).toBe(false);
    const handed = restoredState(run.plan, JSON.parse(JSON.stringify(run.state)) as RunState);
    expect(handed).toEqual(run.state);
    expect(next(run.plan, handed)).toEqual([]);
  });

  test.each(middles)('decision 13: %s is still waited for by the seat after a lost one', (_what, middle) => {
    const run = middle();
    const before = run.events.length;
    run.reseats();
    expect(run.underWay).toEqual([]);
    expect(run.events.slice(before).map(({ type }) => type)).toEqual(['run.reseated']);
  });
});

/** What a build that knew neither people nor child runs handed over. */
function olderShape(state: RunState): RunState {
  const { question: _q, held: _h, revision: _r, plan: _p, parent: _pa, kept: _k, paused, ...run } = state;
  const steps = Object.entries(state.steps).map(([id, before]) => {
    const {
      task: _t,
      pushBacks: _b,
      remarks: _re,
      call: _c,
      strays: _s,
      early: _e,
      streaks: _st,
      planned: _pl,
      ...old
    } = before;
    const { errorRound: _er, ...step } = old;
    return [id, step] as const;
  });
  const { by: _by, step: _step, ask: _a, asked: _as, revision: _rev, ...pause } = paused ?? {};
  const older = { ...run, paused: paused === null ? null : pause, steps: Object.fromEntries(steps) };
  return older as unknown as RunState;
}

describe('decision 8: a state of an older build', () => {
  test('decision 8: gets the first value of all that it did not know, and the run goes on', () => {
    const run = play(plan([step('work', { work: agent, checks: [tests], loop: loopTo('work') })])).opens();
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests'));
    expect(restoredState(run.plan, olderShape(run.state))).toMatchObject({
      ...run.state,
      steps: { work: { ...run.step('work'), streaks: {} } },
    });
    run.state = restoredState(run.plan, olderShape(run.state));
    run.attempts('work', ok({ tree: 'b' })).judges('work', passes('tests'));
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('decision 8, E3: a pause of it can be resumed', () => {
    const run = play(
      plan([step('work', { checks: [tests], loop: loopTo('work', { limit: 0, onExhausted: 'pause' }) })]),
    );
    run
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'));
    run.state = restoredState(run.plan, olderShape(run.state));
    expect(run.says({ kind: 'retry', id: 'm1' }).underWay).toEqual(['attempt work#2.1']);
  });

  test('decision 8: a review that was under way is still answered', () => {
    const run = play(plan([step('work', { work: agent, checks: [reviewCheck('review')] })])).opens();
    run.attempts('work', ok({ tree: 'a' }));
    run.state = restoredState(run.plan, olderShape(run.state));
    expect(run.reviews('work', passes('review').verdict).stop?.kind).toBe('succeeded');
  });
});
