import { describe, expect, test } from 'vitest';

import type { LimitsPlan, OnExhausted } from '#core/plan/plan.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { exited, fails, ok, passes } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const tests = commandCheck('tests');

function limited(limits: Partial<LimitsPlan>, onExhausted: OnExhausted = 'fail'): Play {
  const work = step('work', { work: agent, checks: [tests], loop: loopTo('work', { limit: 1, onExhausted }) });
  return play(plan([work], { limits: { noProgress: 0, onTime: 'fail', onSpend: 'pause', ...limits } })).opens();
}

const failingPass = (run: Play, tree: string, usd = 0) =>
  run.attempts('work', ok({ tree, usd })).judges('work', fails('tests', '2 failed'));

describe('C7: exhaustion is explicit', () => {
  const spent = (onExhausted: OnExhausted) => failingPass(failingPass(limited({}, onExhausted), 'a'), 'b');

  test('C7, C-14: `fail` stops as exhausted', () => {
    const reason = 'Step "work" failed: tests: 2 failed (feedback loop limit of 1 reached)';
    expect(spent('fail').stop).toEqual({ kind: 'exhausted', reason });
  });

  test('C7: `pause` waits, and says what clears it', () => {
    expect(spent('pause').paused).toMatchObject({
      code: 'exhausted',
      reason: 'Step "work": tests: 2 failed (feedback loop limit of 1 reached)',
      remedy: 'setpoint raise run_1 --passes 3',
    });
  });

  test('C7, E8: a run that paused goes on with fresh passes, and the agent hears what was found last', () => {
    const run = spent('pause').says({ kind: 'retry', id: 'm1' });
    expect(run.underWay).toEqual(['attempt work#3.1']);
    expect(run.input('work').scope.feedback).toMatchObject([{ check: 'tests', pass: 2, summary: '2 failed' }]);
  });

  test('C7, E1: `succeed` never turns a failing pass into a success', () => {
    expect(spent('succeed').stop?.kind).toBe('exhausted');
  });

  test('C7: time spent stops as timed_out, spend as over_budget, each by its own answer', () => {
    const late = limited({ timeSeconds: 60, onTime: 'pause' }).waits(60);
    expect(late.paused).toMatchObject({ code: 'timed_out' });
    const broke = failingPass(limited({ spendUsd: 1, onSpend: 'fail' }), 'a', 1);
    expect(broke.stop?.kind).toBe('over_budget');
  });
});

describe('C7: spend', () => {
  test('C7: spend is asked before an agent starts, and pauses the run with the amounts', () => {
    const run = failingPass(limited({ spendUsd: 1 }), 'a', 1.25);
    expect(run.all('attempt.started').length).toBe(1);
    expect(run.paused?.code).toBe('over_budget');
    expect(run.paused?.reason).toBe('The run has spent 1.25 USD of its limit of 1 USD.');
    expect(run.paused?.remedy).toBe('setpoint raise run_1 --spend "2.25 USD"');
  });

  test('C7: what is left of the money lets the next pass begin', () => {
    expect(failingPass(limited({ spendUsd: 1 }), 'a', 0.99).underWay).toEqual(['attempt work#2.1']);
  });

  test('C7: a command costs nothing and runs on', () => {
    const steps = [step('work', { work: agent }), step('test', { after: ['work'] })];
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'pause' as const, spendUsd: 1 };
    const run = play(plan(steps, { limits }))
      .opens()
      .attempts('work', ok({ tree: 'a', usd: 5 }));
    expect(run.underWay).toEqual(['attempt test#1.1']);
  });
});

describe('C8: no progress', () => {
  const watched = (noProgress: number) => {
    const work = step('work', { work: agent, checks: [tests], loop: loopTo('work', { limit: 9 }) });
    return play(plan([work], { limits: { noProgress, onTime: 'fail', onSpend: 'pause' } })).opens();
  };
  const pass = (run: Play, tree: string, summary = '2 failed', head = 'head') =>
    run.attempts('work', ok({ tree, head })).judges('work', fails('tests', summary));

  test('C8, T-10: the same tree with the same findings, twice again, stops the run', () => {
    const run = pass(pass(watched(2), 'a'), 'a');
    expect(run.underWay).toEqual(['attempt work#3.1']);
    pass(run, 'a');
    expect(run.stop?.kind).toBe('no_progress');
    expect(run.stop?.reason).toContain('the same tree and the same findings came back 2 times');
    expect(run.stop?.remedy).toBeDefined();
  });

  test('C8: a tree that was seen before is no progress, though the last one differs', () => {
    const run = watched(2);
    for (const tree of ['a', 'b', 'a', 'b']) pass(run, tree);
    expect(run.stop?.kind).toBe('no_progress');
  });

  test.each([
    ['another tree', ['b', '2 failed', 'head']],
    ['other findings', ['a', '1 failed', 'head']],
    ['another HEAD', ['a', '2 failed', 'moved']],
  ] as const)('C8: %s is progress, and the count begins anew', (_name, [tree, summary, head]) => {
    const run = pass(pass(pass(watched(2), 'a'), 'a'), tree, summary, head);
    expect(run.step('work').repeats).toBe(0);
    pass(pass(run, tree, summary, head), tree, summary, head);
    expect(run.stop?.kind).toBe('no_progress');
  });

  test('C8: 0 switches it off', () => {
    const run = watched(0);
    for (let count = 0; count < 6; count += 1) pass(run, 'a');
    expect(run.underWay).toEqual(['attempt work#7.1']);
  });

  test('C8: a command that judges by its exit is watched by tree and output', () => {
    const steps = [
      step('work', { work: agent }),
      step('test', { after: ['work'], loop: loopTo('work', { limit: 9 }) }),
    ];
    const run = play(plan(steps)).opens();
    for (let count = 0; count < 3; count += 1) {
      run.attempts('work', ok({ tree: 'a' })).attempts('test', exited(1, { tree: 'a', fingerprint: 'a|2 failed' }));
    }
    expect(run.stop?.kind).toBe('no_progress');
  });

  test('C8, E8: a retry of the run forgets what was seen', () => {
    const run = pass(pass(pass(watched(2), 'a'), 'a'), 'a').says({ kind: 'retry', id: 'm1' });
    pass(run, 'a');
    expect(run.underWay).toEqual(['attempt work#5.1']);
  });
});

test('C8, C10: findings are compared by their normalised digest, not by their words', () => {
  const run = play(plan([step('work', { work: agent, checks: [tests], loop: loopTo('work') })])).opens();
  for (const summary of ['2 failed in 1.2 s', '2 failed in 3.4 s', '2 failed in 5.6 s']) {
    const { check, verdict } = fails('tests', summary);
    const same = {
      check,
      verdict: { ...verdict, evidence: { ...verdict.evidence, digest: '2 failed in <duration>' } },
    };
    run.attempts('work', ok({ tree: 'a' })).judges('work', same);
  }
  expect(run.stop?.kind).toBe('no_progress');
});

describe('E10: which clock', () => {
  const timed = (limits: Partial<LimitsPlan>) => limited({ ...limits }, 'fail');

  test('E10: `time` counts while something of the run is under way', () => {
    const run = timed({ timeSeconds: 100 });
    expect(run.wakesInSeconds).toBe(100);
    run.later(40).attempts('work', ok({ tree: 'a' }));
    expect(run.state.activeMs).toBe(40_000);
    expect(run.wakesInSeconds).toBe(60);
  });

  test('E10: time used up ends what is under way and stops the run', () => {
    const run = timed({ timeSeconds: 100 }).waits(100);
    expect(run.cancelled).toEqual(['work']);
    expect(run.stop).toBeNull();
    expect(run.endsCancelled('work').stop).toMatchObject({
      kind: 'timed_out',
      reason: 'The run has worked for its limit of 100 s.',
    });
  });

  test('E10: a wait does not spend `time`, and spends the deadline', () => {
    const looping = step('work', { loop: loopTo('work', { wait: { everySeconds: 500, backoff: 1 } }) });
    const limits = {
      noProgress: 0,
      onTime: 'fail' as const,
      onSpend: 'fail' as const,
      timeSeconds: 100,
      deadlineSeconds: 600,
    };
    const run = play(plan([looping], { limits }))
      .opens()
      .later(50)
      .attempts('work', exited(1));
    expect(run.wakesInSeconds).toBe(500);
    run.waits(500);
    expect(run.state.activeMs).toBe(50_000);
    expect(run.wakesInSeconds).toBe(50);
    run.waits(50);
    expect(run.endsCancelled('work').stop?.reason).toBe("The run's deadline of 600 s has passed.");
  });

  test('E10: the wait for a host with a free slot does not spend `time`', () => {
    const work = step('work', { checks: [tests] });
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, timeSeconds: 100 };
    const run = play(plan([work], { limits }));
    expect(run.wakesInSeconds).toBeUndefined();
    run.later(5000).opens();
    expect(run.state.activeMs).toBe(0);
    expect(run.wakesInSeconds).toBe(100);
  });

  test('E10: a pause does not spend `time`', () => {
    const run = failingPass(limited({ timeSeconds: 100, spendUsd: 1 }), 'a', 2);
    expect(run.paused?.code).toBe('over_budget');
    run.later(5000).says({ kind: 'retry', id: 'm1' });
    expect(run.state.activeMs).toBe(0);
    expect(run.paused?.code).toBe('over_budget');
  });

  test('E10: the deadline goes on while the run is paused, and ends it', () => {
    const run = failingPass(limited({ deadlineSeconds: 600, spendUsd: 1 }), 'a', 2);
    expect(run.paused?.code).toBe('over_budget');
    expect(run.wakesInSeconds).toBe(600);
    expect(run.waits(600).stop).toMatchObject({ kind: 'timed_out' });
  });

  test('E10, C7: a deadline that only pauses has nothing to say to a run that is paused', () => {
    const run = failingPass(limited({ deadlineSeconds: 600, spendUsd: 1, onTime: 'pause' }), 'a', 2);
    expect(run.wakesInSeconds).toBeUndefined();
    expect(run.later(700).paused?.code).toBe('over_budget');
  });

  test('E10, E8: a retry of the run has its whole time and deadline again', () => {
    const run = limited({ timeSeconds: 100, deadlineSeconds: 200 }).waits(100).endsCancelled('work');
    run.later(1000).says({ kind: 'retry', id: 'm1' });
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.wakesInSeconds).toBe(100);
  });

  test('E10: a limit that ran out outranks a success that has not been told yet', () => {
    const run = limited({ timeSeconds: 100 })
      .later(100)
      .attempts('work', ok({ tree: 'a' }));
    expect(run.stop?.kind).toBe('timed_out');
  });

  test('E10, E1: a limit that runs out while the verified tree is being delivered takes nothing back', () => {
    const work = step('work', { work: agent, checks: [tests], loop: loopTo('work', { limit: 1 }) });
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'pause' as const, timeSeconds: 100 };
    const run = play(plan([work], { limits, deliver: { mode: 'branch' } })).opens();
    run.attempts('work', ok({ tree: 'a' })).judges('work', passes('tests'));
    expect(run.underWay).toEqual(['@deliver']);
    expect(run.wakesInSeconds).toBeUndefined();
    run.later(200).delivers({ mode: 'branch', nothingToDeliver: false, commit: 'c', branch: 'b' });
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('E10: work that ends in time is a success', () => {
    const run = limited({ timeSeconds: 100 })
      .later(99)
      .attempts('work', ok({ tree: 'a' }));
    expect(run.judges('work', passes('tests')).stop?.kind).toBe('succeeded');
  });
});
