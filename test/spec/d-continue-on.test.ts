import { describe, expect, test } from 'vitest';

import type { StepPlan } from '#core/plan/plan.ts';
import type { MatchOutcome } from '#core/run/attempt-result.ts';

import { reviewCheck } from '../fakes/people-plans.ts';
import { commandCheck, loopTo, plan, step } from '../fakes/plans.ts';
import { exited, fails, ok, passes } from './outcomes.ts';
import { play } from './play.ts';

function tried(change: Partial<StepPlan>) {
  return play(plan([step('try', change), step('then', { after: ['try'] })])).opens();
}

const goesOn = (kind: MatchOutcome['kind']): { goesOn: MatchOutcome } => ({
  goesOn: { kind, reason: `it is ${kind}` },
});

describe('D-14: which failures let the run go on', () => {
  test('D-14: an exit code of the list does, another does not', () => {
    const run = tried({ continueOn: { exitCodes: [3, 4] } }).attempts('try', exited(4));
    expect(run.last('step.failed')).toMatchObject({ step: 'try', continued: true });
    expect(run.underWay).toEqual(['attempt then#1.1']);
    const other = tried({ continueOn: { exitCodes: [3, 4] } }).attempts('try', exited(5));
    expect(other.stop?.kind).toBe('failed');
  });

  test('D-14: a pattern in its output does, as the host judged it; none does not', () => {
    const matches = { continueOn: { matches: ['no tests'] } };
    const run = tried(matches).attempts('try', { ...exited(1), ...goesOn('pass') });
    expect(run.step('try')).toMatchObject({ outcome: 'failed', continued: true });
    expect(tried(matches).attempts('try', { ...exited(1), ...goesOn('fail') }).stop?.kind).toBe('failed');
  });

  test('D-14: what could not be judged lets nothing go, and the reason says so', () => {
    const run = tried({ continueOn: { matches: ['(a+)+$'] } }).attempts('try', { ...exited(1), ...goesOn('error') });
    expect(run.stop?.reason).toContain('could not be judged: it is error');
  });

  test('D-14: `markSuccess` makes it a success that says what failed', () => {
    const run = tried({ continueOn: { exitCodes: [4], markSuccess: true } }).attempts('try', exited(4));
    expect(run.step('try').outcome).toBe('succeeded');
    expect(run.last('step.succeeded').note).toBe('counts as succeeded although it failed: exit 4');
    const always = tried({ continueOnError: true, continueOn: { markSuccess: true } }).attempts('try', exited(9));
    expect(always.step('try').outcome).toBe('succeeded');
    const otherwise = tried({ continueOn: { exitCodes: [4], markSuccess: true } }).attempts('try', exited(5));
    expect(otherwise.stop?.kind).toBe('failed');
  });

  test('D-14: it holds for the step, so for a check that failed after a match, too', () => {
    const change = { checks: [commandCheck('lint')], continueOn: { matches: ['known'] } };
    const run = tried(change)
      .attempts('try', { ...ok({ tree: 'a' }), ...goesOn('pass') })
      .judges('try', fails('lint'));
    expect(run.step('try')).toMatchObject({ outcome: 'failed', continued: true });
  });

  test('D-14, G2: what counts as succeeded whatever its checks say is not judged again on a later tree', () => {
    const change = { checks: [reviewCheck('look')], continueOn: { exitCodes: [3], markSuccess: true } };
    const run = tried(change)
      .attempts('try', exited(3, { tree: 'a' }))
      .attempts('then', ok({ tree: 'b' }));
    expect(run.all('step.reopened')).toEqual([]);
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('D-14, G2: nor is what was not attempted in its pass, whatever it left in the pass before', () => {
    const condition = { command: 'ready', compare: 'exitCode' as const, returns: '0', timeSeconds: 9 };
    const change: Partial<StepPlan> = {
      when: { condition, onUnmet: 'skip', onError: 'fail' },
      checks: [commandCheck('lint')],
      continueOnError: true,
      continueOn: { markSuccess: true },
    };
    const then = step('then', { after: ['try'], loop: loopTo('try') });
    const run = play(plan([step('try', change), then]))
      .opens()
      .evaluates('try', { kind: 'met', actual: '0' });
    run
      .attempts('try', ok({ tree: 'a' }))
      .judges('try', passes('lint'))
      .attempts('then', exited(1, { tree: 'b' }));
    for (let tries = 0; tries < 3; tries += 1) run.evaluates('try', { kind: 'error', reason: 'no answer' });
    run.attempts('then', ok({ tree: 'c' }));
    expect(run.all('step.reopened')).toEqual([]);
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('V-28: the loop comes first, whatever lets the failure go', () => {
    const run = tried({ loop: loopTo('try', { limit: 1 }), continueOn: { exitCodes: [1], markSuccess: true } });
    run.attempts('try', exited(1, { tree: 'a' }));
    expect(run.last('loop.fired')).toMatchObject({ step: 'try', count: 1 });
    run.attempts('try', exited(1, { tree: 'b' }));
    expect(run.step('try').outcome).toBe('succeeded');
    expect(run.last('step.succeeded').note).toContain('(feedback loop limit of 1 reached)');
  });
});
