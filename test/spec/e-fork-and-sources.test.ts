import { describe, expect, test } from 'vitest';
import { fairnessKeyOf } from '#core/contract/queue.ts';
import { fold } from '#core/run/apply.ts';
import type { StoredEvent } from '#core/run/event.ts';
import { forkPoint, type PassPlace } from '#core/run/fork.ts';
import { next } from '#core/run/next.ts';
import { openWorkspaceInput } from '#core/run/people-input.ts';
import type { RunState } from '#core/run/state.ts';
import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { fails, ok, passes } from './outcomes.ts';
import { type Play, play } from './play.ts';

const work = step('work', {
  work: scriptedAgent(['true']),
  checks: [commandCheck('tests')],
  loop: loopTo('work', { limit: 2 }),
});

const storedOf = (run: Play): StoredEvent[] => run.events.map((event, index) => ({ seq: index + 1, event }));

/** The state of a fork as its workflow begins with it. */
function forked(run: Play, place: PassPlace, name?: string): RunState {
  const point = forkPoint(run.plan, storedOf(run), place);
  if (point.kind === 'none') throw new TypeError(`no pass ${place.step}:${place.pass}`);
  const shared = run.events.slice(0, point.seq);
  const from = { runId: 'run_1', ...place };
  const event = { type: 'run.forked' as const, at: run.clock, runId: 'run_2', from, by: 'ada' };
  return fold(run.plan, [...shared, { ...event, ...(name === undefined ? {} : { name }) }]);
}

describe('E8: fork', () => {
  const twoPasses = () =>
    play(plan([work]))
      .opens()
      .attempts('work', ok({ tree: 'a', usd: 1 }))
      .judges('work', fails('tests'))
      .attempts('work', ok({ tree: 'b', usd: 1 }))
      .judges('work', passes('tests'));

  test('E8: it begins where the attempt of the pass ended, with nothing of the first run spent', () => {
    const run = twoPasses();
    expect(run.stop?.kind).toBe('succeeded');
    const state = forked(run, { step: 'work', pass: 1 });
    expect(state).toMatchObject({ runId: 'run_2', stop: null, spend: { usd: 0 }, activeMs: 0 });
    expect(state.workspace).toMatchObject({ phase: 'none', queue: 'host-queue', snapshot: { tree: 'a' }, dirty: true });
    expect(state.steps['work']).toMatchObject({ phase: 'attempted', pass: 1, loops: 0 });
    expect(next(run.plan, state)).toEqual([{ do: 'openWorkspace' }]);
    expect(openWorkspaceInput(run.facts, state)).toMatchObject({
      runId: 'run_2',
      snapshot: 'commit-a',
      workspace: { base: 'commit-base' },
    });
  });

  test('E8: a pass that there is not is answered with those that there are', () => {
    const there = [
      { step: 'work', pass: 1 },
      { step: 'work', pass: 2 },
    ];
    expect(forkPoint(plan([work]), storedOf(twoPasses()), { step: 'work', pass: 3 })).toEqual({
      kind: 'none',
      passes: there,
    });
    expect(forkPoint(plan([work]), storedOf(twoPasses()), { step: 'nope', pass: 1 })).toEqual({
      kind: 'none',
      passes: there,
    });
  });

  test('E8: a run that opens its workspace for itself has no snapshot to begin with', () => {
    const run = play(plan([work]));
    expect(openWorkspaceInput(run.facts, run.state)).not.toHaveProperty('snapshot');
  });

  test('E8: an edit before the pass counts in the fork, one after it does not; a name is the fork’s own', () => {
    const run = play(plan([work], { name: 'first' })).opens();
    const before = { ...run.plan, limits: { ...run.plan.limits, noProgress: 7 } };
    run.says({ kind: 'edit', id: 'm1', plan: before });
    run.attempts('work', ok({ tree: 'a' }));
    run.says({ kind: 'edit', id: 'm2', plan: { ...run.plan, limits: { ...run.plan.limits, noProgress: 9 } } });
    const state = forked(run, { step: 'work', pass: 1 }, 'second');
    expect(state.plan).toMatchObject({ name: 'second', limits: { noProgress: 7 } });
  });

  describe('at a question', () => {
    const asking = plan([work, step('ready', { after: ['work'], work: personWork(), loop: loopTo('work') })]);
    const asked = () =>
      play(asking)
        .opens()
        .attempts('work', ok({ tree: 'a' }))
        .judges('work', passes('tests'))
        .asks('ready');
    const ready = { step: 'ready', pass: 1 };

    test('E8: what an approval or a push back led to is kept', () => {
      const approved = forked(asked().answersTask('ready', 'ada', 'approve'), ready);
      expect(approved.steps['ready']).toMatchObject({ phase: 'done', outcome: 'succeeded' });
      const pushedBack = forked(asked().answersTask('ready', 'ada', 'push_back', { comment: 'shorter' }), ready);
      expect(pushedBack.steps['work']).toMatchObject({ phase: 'idle', pass: 2, feedback: [{ by: 'ada' }] });
    });

    test('E8: after a rejection it is asked again; an open question is no outcome', () => {
      const only = plan([step('ready', { work: personWork() })]);
      const rejected = play(only).opens().asks('ready').answersTask('ready', 'ada', 'reject');
      expect(rejected.stop?.kind).toBe('rejected');
      expect(forked(rejected, ready).steps['ready']).toMatchObject({ phase: 'idle', task: null, outcome: null });
      expect(forkPoint(asking, storedOf(asked()), ready)).toEqual({
        kind: 'none',
        passes: [{ step: 'work', pass: 1 }],
      });
    });
  });
});

describe('E-19: a switch of a source counts in the order of the switches', () => {
  const hold = (switched: number) => ({ kind: 'hold' as const, id: `hold-${switched}`, source: 'nightly', switched });
  const release = (switched: number) => ({ ...hold(switched), kind: 'release' as const, id: `release-${switched}` });

  test('E3: one that was overtaken changes nothing', () => {
    const run = play(plan([work])).opens();
    expect(run.says(release(2)).says(hold(1)).state.held).toEqual([]);
    expect(run.says(hold(3)).state.held).toEqual(['nightly']);
    expect(run.says(release(2)).state.held).toEqual(['nightly']);
    expect(run.says(release(4)).state.held).toEqual([]);
  });

  test('E3: the same switch again is no event', () => {
    const run = play(plan([work]))
      .opens()
      .says(hold(1));
    const events = run.events.length;
    run.says({ ...hold(1), id: 'again' });
    expect(run.events).toHaveLength(events);
  });
});

describe('E2: projects take turns', () => {
  test('the key of a project is at most 64 bytes long, whatever its letters', () => {
    expect(fairnessKeyOf('web')).toBe('web');
    for (const letter of ['a', 'ä', '中', '😀']) {
      const key = fairnessKeyOf(letter.repeat(100));
      expect(Buffer.byteLength(key)).toBe(64 - (64 % Buffer.byteLength(letter)));
    }
  });
});
