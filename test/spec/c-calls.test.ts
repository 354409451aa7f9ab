import { describe, expect, test } from 'vitest';

import type { StepPlan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import { summarise } from '#core/run/summarise.ts';
import { startChildInput } from '#core/run/people-input.ts';

import { callWork } from '../fakes/people-plans.ts';
import { commandCheck, loopTo, personWork, plan, step } from '../fakes/plans.ts';
import { exited, fails, ok } from './outcomes.ts';
import { play, type Play } from './play.ts';

const children = { child: plan([step('only')]) };
const cancel = { kind: 'cancel' as const, id: 'm1', reason: 'Not needed any more.' };
const standing = (run: Play) => summarise(run.plan, run.state, run.events.length);

function called(change: Partial<StepPlan> = {}, limits?: { spendUsd: number }): Play {
  const call = step('call', { work: callWork(), ...change });
  const all = { noProgress: 2, onTime: 'fail' as const, onSpend: 'pause' as const, ...limits };
  return play(plan([call], { children, limits: all })).opens();
}

const listed = (max: number, change: Partial<StepPlan> = {}) =>
  called({ work: callWork({ each: { list: '{{inputs.files}}', max } }), ...change });

describe('A1: a call gives one result, however many child runs it is', () => {
  test('A1: one child run; what it gave is the output of the step', () => {
    const run = called();
    expect(run.underWay).toEqual(['child call#1 [0]']);
    run.startsChild('call', 'run_c').childEnds('call', 0).collects('call');
    expect(run.stop?.kind).toBe('succeeded');
    expect(run.step('call').result).toMatchObject({ end: { kind: 'ok' }, output: { sha256: 'all' } });
  });

  test('A1: of a list at most `max` are alive at a time, started one after the other', () => {
    const run = listed(2).expands('call', 'a', 'b', 'c');
    run.startsChild('call', 'run_0').startsChild('call', 'run_1');
    expect(run.underWay).toEqual([]);
    expect(run.childEnds('call', 1).underWay).toEqual(['child call#1 [2]']);
    run.startsChild('call', 'run_2').childEnds('call', 0).childEnds('call', 2);
    expect(run.underWay).toEqual(['collect call#1.1']);
    expect(run.collects('call').stop?.kind).toBe('succeeded');
  });

  test('A1: an empty list has succeeded', () => {
    expect(listed(2).expands('call').collects('call').stop?.kind).toBe('succeeded');
  });

  test('A1: children that did not succeed fail the step by name, after all have ended', () => {
    const run = listed(2).expands('call', 'a', 'b').startsChild('call', 'run_0').startsChild('call', 'run_1');
    run.childEnds('call', 0, 'exhausted').childEnds('call', 1).collects('call');
    expect(run.stop?.reason).toBe('Step "call" failed: 1 of 2 child runs did not succeed: run_0 (exhausted).');
  });

  test('A2: a call that is tried again within its pass has children of its own', () => {
    const run = called({ retry: { on: 'notVerdict', limit: 1, everySeconds: 0, backoff: 1 } });
    run.startsChild('call', 'run_0').childEnds('call', 0, 'failed').collects('call');
    expect(run.underWay).toEqual(['child call#1 [0]']);
    const work = { do: 'startChild' as const, step: 'call', pass: 1, index: 0 };
    expect(startChildInput(run.facts, run.state, work).parent).toMatchObject({
      runId: 'run_1',
      step: 'call',
      pass: 1,
      index: 0,
      attempt: 2,
    });
    expect(run.startsChild('call', 'run_1').childEnds('call', 0).collects('call').stop?.kind).toBe('succeeded');
  });

  test('B2, C2, D-12: its checks judge, and its loop calls it again with what was found', () => {
    const run = called({ checks: [commandCheck('tests')], loop: loopTo('call') });
    run.startsChild('call', 'run_0').childEnds('call', 0).collects('call').judges('call', fails('tests'));
    expect(run.underWay).toEqual(['child call#2 [0]']);
    expect(run.step('call').feedback).toMatchObject([{ check: 'tests', pass: 1 }]);
  });

  test('A1: a child that cannot be started stops the run with the fault', () => {
    const run = called().faults('call', 'call/inputs-invalid', 'There is no input "file".');
    expect(run.stop).toMatchObject({ kind: 'failed_to_start', code: 'call/inputs-invalid' });
  });
});

describe('C4: the end of a child of an older pass', () => {
  const steps = [
    step('work'),
    step('call', { work: callWork(), after: ['work'], readOnly: false }),
    step('test', { after: ['work'], loop: loopTo('work') }),
  ];
  const backAgain = () =>
    play(plan(steps, { children }))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .startsChild('call', 'run_old')
      .attempts('test', exited(1));

  test('C4, C3: it is cancelled, its end waited for, its spend counted and its result left out', () => {
    const run = backAgain();
    expect(run.underWay).toEqual(['cancel run_old', 'attempt work#2.1']);
    run
      .tellsChild('run_old')
      .attempts('work', ok({ tree: 'b' }))
      .attempts('test', ok());
    run.startsChild('call', 'run_new');
    const old = { output: { sha256: 'old', bytes: 1, excerpt: '' }, outputs: {}, spend: spent(3), activeMs: 1 };
    run.says({ ...told('run_old', 1), toParent: old, stop: 'succeeded' });
    expect(run.step('call').call?.children).toMatchObject([{ runId: 'run_new', settled: null }]);
    expect(run.state.spend.usd).toBe(3);
    run.childEnds('call', 0).collects('call');
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('C4, E1: a run does not succeed while such a child is alive, and says what it waits for', () => {
    const run = backAgain()
      .tellsChild('run_old')
      .attempts('work', ok({ tree: 'b' }))
      .attempts('test', ok());
    run.startsChild('call', 'run_new').childEnds('call', 0).collects('call');
    expect(run.stop).toBeNull();
    expect(standing(run)).toMatchObject({ status: 'waiting', why: 'The child run run_old is being cancelled.' });
    expect(run.says({ ...told('run_old', 1), stop: 'cancelled' }).stop?.kind).toBe('succeeded');
  });

  test('C4: one that ended before its start was answered is waited for by nobody', () => {
    const run = play(plan(steps, { children }))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['child call#1 [0]', 'attempt test#1.1']);
    run.says(told('run_quick', 1)).attempts('test', exited(1)).startsChild('call', 'run_quick');
    expect(run.step('call')).toMatchObject({ strays: [], early: [] });
    run
      .attempts('work', ok({ tree: 'b' }))
      .attempts('test', ok())
      .startsChild('call', 'run_new')
      .childEnds('call', 0);
    expect(run.collects('call').stop?.kind).toBe('succeeded');
  });

  test('C4: in its own pass its end counts, though it came before its start was answered', () => {
    const run = called().says(told('run_quick', 1)).startsChild('call', 'run_quick');
    expect(run.underWay).toEqual(['collect call#1.1']);
  });
});

function spent(usd: number) {
  return { usd, estimated: false, inputTokens: 0, outputTokens: 0 };
}

function told(runId: string, pass: number) {
  const toParent = { outputs: {}, spend: spent(1), activeMs: 1000 };
  const message = { kind: 'childSettled' as const, id: `end of ${runId}`, step: 'call', pass, index: 0 };
  return { ...message, runId, stop: 'succeeded' as const, toParent };
}

describe('E3: a cancel reaches the child runs', () => {
  test('E3: the run has ended once every child has', () => {
    const run = listed(2).expands('call', 'a', 'b').startsChild('call', 'run_0').startsChild('call', 'run_1');
    run.says(cancel);
    expect(run.underWay).toEqual(['cancel run_0', 'cancel run_1']);
    run.tellsChild('run_0').tellsChild('run_1');
    run.says({ ...told('run_0', 1), stop: 'cancelled' });
    expect(run.stop).toBeNull();
    expect(run.says({ ...told('run_1', 1), stop: 'cancelled' }).stop?.kind).toBe('cancelled');
    expect(run.state.spend.usd).toBe(2);
  });

  test('E3: a child that is being started is known first, then cancelled', () => {
    const run = called().says(cancel);
    expect(run.underWay).toEqual(['child call#1 [0]']);
    run.startsChild('call', 'run_0');
    expect(run.underWay).toEqual(['cancel run_0']);
    run.tellsChild('run_0').says({ ...told('run_0', 1), stop: 'cancelled' });
    expect(run.stop?.kind).toBe('cancelled');
  });

  test('E3: one that ended while it was being started holds nothing up', () => {
    const run = called().says(cancel).says(told('run_0', 1));
    expect(run.startsChild('call', 'run_0').stop?.kind).toBe('cancelled');
  });

  test('E3: a run that pauses starts no further child; those that are alive go on to their end', () => {
    const run = listed(1).expands('call', 'a', 'b').startsChild('call', 'run_0');
    run.says({ kind: 'pause', id: 'm1', by: 'ann' }).childEnds('call', 0);
    expect(run.underWay).toEqual([]);
    expect(run.says({ kind: 'resume', id: 'm2' }).underWay).toEqual(['child call#1 [1]']);
  });
});

describe('E7, E10: what a child spends', () => {
  test('E7: its spend counts in the parent, and what is left is shared by those side by side', () => {
    const run = called({ work: callWork({ each: { list: 'x', max: 2 } }) }, { spendUsd: 10 }).expands('call', 'a', 'b');
    const work = { do: 'startChild' as const, step: 'call', pass: 1, index: 0 };
    expect(startChildInput(run.facts, run.state, work).limits).toMatchObject({ spendUsd: 5, timeSeconds: 1800 });
    run.startsChild('call', 'run_0').childEnds('call', 0, 'succeeded', 4);
    expect(run.state.spend.usd).toBe(4);
  });

  test('C7, E7: money is asked for before each child, and a raise lets the list go on', () => {
    const run = called({ work: callWork({ each: { list: 'x', max: 1 } }) }, { spendUsd: 3 }).expands('call', 'a', 'b');
    run.startsChild('call', 'run_0').childEnds('call', 0, 'succeeded', 3);
    expect(run.paused).toMatchObject({ code: 'over_budget' });
    run.says({ kind: 'raise', id: 'm1', limits: { spendUsd: 9 } });
    expect(run.underWay).toEqual(['child call#1 [1]']);
  });

  test('E10: waiting for it spends no time of the parent’s but what the child worked', () => {
    const run = called().startsChild('call', 'run_0').later(3600).childEnds('call', 0);
    expect(run.state.activeMs).toBe(1000);
  });

  test('E10: children side by side work at the same time: no more counts than has passed', () => {
    const run = listed(2).expands('call', 'a', 'b').startsChild('call', 'run_0').startsChild('call', 'run_1');
    const long = { outputs: {}, spend: spent(1), activeMs: 60_000 };
    run.later(60).says({ ...told('run_0', 1), toParent: long });
    run.says({ ...told('run_1', 1), index: 1, toParent: long });
    expect(run.state.activeMs).toBe(60_000);
  });

  test('D2, E7: an end that is told twice counts once', () => {
    const run = called().startsChild('call', 'run_0').says(told('run_0', 1));
    run.says(told('run_0', 1));
    expect(run.state.spend.usd).toBe(1);
  });

  test('E7, E8: a child that was retried while others still run adds what it spent since; its first end stays the result', () => {
    const run = listed(2).expands('call', 'a', 'b').startsChild('call', 'run_0').startsChild('call', 'run_1');
    run.says({ ...told('run_0', 1), stop: 'failed' }).says({ ...told('run_0', 2), id: 'it ended once more' });
    expect(run.state.spend.usd).toBe(2);
    run.childEnds('call', 1).collects('call');
    expect(run.stop?.reason).toContain('run_0 (failed)');
  });

  test('decision 5: of the children of a list the state keeps no outputs by name, of a single one it does', () => {
    const outputs = { text: { sha256: 'text', bytes: 1, excerpt: '' } };
    const ends = (run: Play) => {
      const end = told('run_0', 1);
      run.says({ ...end, toParent: { ...end.toParent, outputs } });
      return run.step('call').call?.children[0]?.settled?.toParent.outputs;
    };
    expect(ends(called().startsChild('call', 'run_0'))).toEqual(outputs);
    expect(ends(listed(2).expands('call', 'a', 'b').startsChild('call', 'run_0'))).toEqual({});
  });
});

test('E2: a run that waits for its child says so, and where to look', () => {
  expect(standing(called().startsChild('call', 'run_c'))).toMatchObject({
    status: 'waiting',
    why: 'Step "call" waits for its child run run_c.',
    remedy: 'setpoint show run_c',
  });
});

describe('D-20: loops nest over people and child runs', () => {
  test('C2, D-20: a push back cancels what was called, and calls it again', () => {
    const steps = [
      step('call', { work: callWork() }),
      step('docs', { after: ['call'], work: callWork() }),
      step('approve', { work: personWork(), after: ['call'], loop: loopTo('call') }),
    ];
    const run = play(plan(steps, { children }))
      .opens()
      .startsChild('call', 'run_0')
      .childEnds('call', 0)
      .collects('call');
    run.startsChild('docs', 'run_docs').asks('approve').answersTask('approve', 'ann', 'push_back');
    expect(run.underWay).toEqual(['cancel run_docs', 'child call#2 [0]']);
  });
});

describe('decision 13: a call outlives its seat', () => {
  test('decision 13: alive children are waited for, one that was being started is asked for again by its place', () => {
    const run = listed(2).expands('call', 'a', 'b').startsChild('call', 'run_0').reseats();
    expect(run.underWay).toEqual(['child call#1 [1]']);
    run.startsChild('call', 'run_1').childEnds('call', 0).childEnds('call', 1);
    expect(run.reseats().underWay).toEqual(['collect call#1.1']);
    expect(fold(run.plan, run.events)).toEqual(run.state);
  });

  test('decision 13: a list that was being read is read again; a cancellation that may be lost is sent again', () => {
    expect(listed(2).reseats().underWay).toEqual(['expand call#1.1']);
    const run = called().startsChild('call', 'run_0').says(cancel).reseats();
    expect(run.underWay).toEqual(['cancel run_0']);
  });
});
