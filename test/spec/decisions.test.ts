import { describe, expect, test } from 'vitest';

import { apply, fold } from '#core/run/apply.ts';
import { next } from '#core/run/next.ts';

import { commandCheck, loopTo, plan, step } from '../fakes/plans.ts';
import { exited, fails, ok, passes } from './outcomes.ts';
import { play } from './play.ts';

const tests = commandCheck('tests');
const nothing = { estimated: false, inputTokens: 0, outputTokens: 0 };

describe('decision 4: a finished attempt is never paid twice', () => {
  test('decision 4: before attempt n + 1 starts, what attempt n left is looked up', () => {
    const run = play(plan([step('work')]))
      .opens()
      .faults('work', 'host/lost');
    expect(run.underWay).toEqual(['recover work#1.1']);
    expect(run.recovers('work', { kind: 'lost', spend: nothing }).underWay).toEqual(['attempt work#1.2']);
  });

  test('decision 4: a look-up that is broken off itself is made again', () => {
    const run = play(plan([step('work')]))
      .opens()
      .faults('work', 'host/crashed')
      .faults('work', 'store/unavailable');
    expect(run.underWay).toEqual(['recover work#1.1']);
  });

  test('decision 4: work that is under way is not due again', () => {
    const run = play(plan([step('work'), step('read', { readOnly: true })])).opens();
    expect(run.underWay).toHaveLength(2);
    expect(next(run.plan, run.state)).toEqual([]);
  });
});

describe('decision 1: core decides', () => {
  test('decision 1: what is due is one decision to record, or all work that can begin', () => {
    const run = play(plan([step('a', { readOnly: true }), step('b', { readOnly: true }), step('c', { after: ['a'] })]));
    expect(run.opens().underWay).toEqual(['attempt a#1.1', 'attempt b#1.1']);
    const finished = (id: string) => ({
      type: 'attempt.finished' as const,
      at: run.clock,
      step: id,
      pass: 1,
      attempt: 1,
      result: ok(),
    });
    const both = [finished('a'), finished('b')].reduce((state, event) => apply(run.plan, state, event), run.state);
    const commands = next(run.plan, both);
    expect(commands).toMatchObject([{ do: 'emit', event: { type: 'step.succeeded', step: 'a' } }]);
  });
});

describe('decision 8: the state is plain JSON and holds the last pass of each step', () => {
  const run = play(
    plan([step('work', { checks: [tests], loop: loopTo('work', { limit: null }) })], {
      limits: { noProgress: 0, onTime: 'fail', onSpend: 'fail' },
    }),
  ).opens();

  test('decision 8: it survives JSON, and the law goes on from it alike', () => {
    run.attempts('work', ok({ tree: 'a' }));
    const copy: unknown = JSON.parse(JSON.stringify(run.state));
    expect(copy).toEqual(run.state);
  });

  test('decision 8: it does not grow with the passes but for a bounded memory of fingerprints', () => {
    const sizes: number[] = [];
    run.judges('work', fails('tests'));
    for (let pass = 0; pass < 250; pass += 1) {
      run.attempts('work', ok({ tree: `tree-${100 + (pass % 900)}` })).judges('work', fails('tests'));
      sizes.push(JSON.stringify(run.state).length);
    }
    expect(run.step('work').seen).toHaveLength(100);
    expect(Math.abs((sizes.at(-1) ?? 0) - (sizes[150] ?? 0))).toBeLessThan(50);
  });
});

describe('decision 13: a seat goes on from the events', () => {
  test('decision 13: folding the record gives the state that the seat before had', () => {
    const run = play(plan([step('work', { checks: [tests], loop: loopTo('work') })])).opens();
    run
      .attempts('work', exited(1, { tree: 'a' }))
      .judges('work', fails('tests'))
      .later(5)
      .attempts('work', ok({ tree: 'b' }));
    expect(fold(run.plan, run.events)).toEqual(run.state);
  });

  test('decision 13: what the lost seat had under way is looked up or begun again, by its kind', () => {
    expect(play(plan([step('work')])).reseats().underWay).toEqual(['@openWorkspace']);
    const run = play(plan([step('work', { checks: [tests] })], { deliver: { mode: 'branch' } })).opens();
    expect(run.reseats().underWay).toEqual(['recover work#1.1']);
    run.recovers('work', { kind: 'finished', result: ok({ tree: 'a' }) });
    expect(run.reseats().underWay).toEqual(['judge work#1 (tests)']);
    run.judges('work', passes('tests'));
    expect(run.reseats().underWay).toEqual(['@deliver']);
  });

  test('decision 13, C4: work of an older pass is not looked up, though the loop had only just fired', () => {
    const steps = [
      step('implement'),
      step('test', { after: ['implement'], loop: loopTo('implement') }),
      step('docs', { after: ['implement'], readOnly: true }),
    ];
    const run = play(plan(steps))
      .opens()
      .attempts('implement', ok({ tree: 'a' }))
      .attempts('test', exited(1));
    const fired = run.events.findIndex(({ type }) => type === 'loop.fired');
    const state = fold(run.plan, [...run.events.slice(0, fired + 1), { type: 'run.reseated', at: run.clock, seat: 2 }]);
    expect(state.steps['docs']).toMatchObject({ phase: 'idle', pass: 2, busy: null });
    expect(state.workspace.dirty).toBe(true);
  });

  test('decision 13: a baseline and a condition that were lost are asked again', () => {
    const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 60 };
    const agent = {
      kind: 'agent' as const,
      prompt: 'Do it.',
      agent: { name: 'codex', session: 'fresh' as const, fallback: [] },
    };
    const based = play(plan([step('work', { work: agent, checks: [tests] })], { baseline: 'report' })).opens();
    expect(based.reseats().underWay).toEqual(['@baseline']);
    const guarded = play(plan([step('work', { when: { condition, onUnmet: 'skip', onError: 'pause' } })])).opens();
    expect(guarded.reseats().underWay).toEqual(['when work#1']);
  });

  test('decision 13: work that was being cancelled is not looked up: it no longer counts', () => {
    const run = play(plan([step('work')]))
      .opens()
      .says({ kind: 'cancel', id: 'm1', reason: 'Stop.' })
      .reseats();
    expect(run.stop?.kind).toBe('cancelled');
  });
});

test('decision 15: a host that was lost costs its attempt, never the run', () => {
  const run = play(plan([step('work')]))
    .opens()
    .faults('work', 'host/lost', 'No host took the work in time.');
  run.recovers('work', { kind: 'lost', spend: nothing });
  expect(run.stop).toBeNull();
  expect(run.input('work')).toMatchObject({ restore: true, key: { attempt: 2 } });
});

describe('decision 16: nothing is silently stuck', () => {
  test('decision 16: nothing due, nothing under way and nothing waited for stops as failed, code stuck', () => {
    // No compiler lets this plan through: two steps that wait for each other.
    const run = play(plan([step('a', { after: ['b'] }), step('b', { after: ['a'] })])).opens();
    expect(run.stop).toMatchObject({ kind: 'failed', code: 'stuck' });
    expect(run.stop?.reason).toContain('Unfinished: "a", "b".');
  });

  test('decision 16: a wait that ends is no standstill', () => {
    const waiting = loopTo('work', { wait: { everySeconds: 60, backoff: 1 } });
    const run = play(plan([step('work', { loop: waiting })]))
      .opens()
      .attempts('work', exited(1));
    expect(run.stop).toBeNull();
    expect(run.wakesInSeconds).toBe(60);
  });
});
