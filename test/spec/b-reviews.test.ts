import { describe, expect, test } from 'vitest';

import type { Verdict } from '#core/check/verdict.ts';
import type { LoopPlan, Plan, StepPlan } from '#core/plan/plan.ts';
import { reviewInput } from '#core/run/people-input.ts';
import { attemptInput, judgeInput } from '#core/run/work-input.ts';

import { reviewCheck } from '../fakes/people-plans.ts';
import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { cannotRun, exited, fails, matchFailed, ok, passes } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const tests = commandCheck('tests');
const review = reviewCheck('review');
const good = passes('review').verdict;
const bad = fails('review', 'it leaks').verdict;
const unable = cannotRun('review').verdict;

function reviewed(checks: StepPlan['checks'], change: Partial<StepPlan> = {}, also: Partial<Plan> = {}): Play {
  const work = step('work', { work: agent, checks, loop: loopTo('work'), ...change });
  return play(plan([work], also)).opens();
}

describe('B2: reviews are asked one by one, after the hard checks', () => {
  test('B2, B5: one that needs it is asked only when every check before it passed', () => {
    const run = reviewed([tests, review]).attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    run.judges('work', fails('tests'));
    expect(run.underWay).toEqual(['attempt work#2.1']);
    run.attempts('work', ok({ tree: 'b' })).judges('work', passes('tests'));
    expect(run.underWay).toEqual(['review work#2 (review)']);
    expect(run.reviews('work', good).stop?.kind).toBe('succeeded');
  });

  test('B2: one that is always asked is asked after a failure, so that the next pass hears both', () => {
    const run = reviewed([tests, reviewCheck('review', { needs: 'always' })]);
    run
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'))
      .reviews('work', bad);
    expect(run.input('work').scope.feedback.map(({ check }) => check)).toEqual(['tests', 'review']);
  });

  test('B2: with hard checks before and after it, all hard ones are judged first, in written order', () => {
    const run = reviewed([tests, review, commandCheck('lint')]).attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge work#1 (tests, lint)']);
    run.judges('work', passes('tests'), fails('lint'));
    expect(run.underWay).toEqual(['review work#1 (review)']);
    expect(run.reviews('work', good).underWay).toEqual(['attempt work#2.1']);
  });

  test('B2: of two reviews the second sees only what the first passed', () => {
    const run = reviewed([reviewCheck('first'), reviewCheck('second')]).attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['review work#1 (first)']);
    expect(run.reviews('work', bad).underWay).toEqual(['attempt work#2.1']);
    run.attempts('work', ok({ tree: 'b' })).reviews('work', good);
    expect(run.underWay).toEqual(['review work#2 (second)']);
  });

  test('B2, D-22: command, reviewer, person: each sees only work that the one before passed', () => {
    const work = step('work', { work: agent, checks: [tests, review], loop: loopTo('work') });
    const run = play(plan([work, step('ship', { work: personWork(), after: ['work'] })])).opens();
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests'));
    expect(run.underWay).toEqual(['attempt work#2.1']);
    run
      .attempts('work', ok({ tree: 'b' }))
      .judges('work', passes('tests'))
      .reviews('work', bad);
    expect(run.underWay).toEqual(['attempt work#3.1']);
    expect(run.all('task.opening')).toEqual([]);
    run
      .attempts('work', ok({ tree: 'c' }))
      .judges('work', passes('tests'))
      .reviews('work', good)
      .asks('ship');
    expect(run.step('ship').task?.question.tree).toBe('c');
    expect(run.answersTask('ship', 'ann', 'approve').stop?.kind).toBe('succeeded');
  });

  test('A4, B2: work behind a dirty exit is not reviewed', () => {
    const run = reviewed([tests, review])
      .attempts('work', exited(1, { tree: 'a' }))
      .judges('work', passes('tests'));
    expect(run.underWay).toEqual(['attempt work#2.1']);
  });

  test('B3, B5, T-06: it reads the pinned snapshot, and is told the goal and what the checks before it found', () => {
    const run = reviewed([tests, review])
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', passes('tests'));
    const work = { do: 'review' as const, step: 'work', pass: 1, round: 2, check: 'review' };
    expect(reviewInput(run.facts, run.state, work)).toMatchObject({
      goal: 'Do it.',
      snapshot: { tree: 'a' },
      checked: [{ check: 'tests', kind: 'pass' }],
      check: { criterion: 'It does what was asked.' },
    });
  });

  test('E7, B5: what it cost counts', () => {
    const run = reviewed([review])
      .attempts('work', ok({ tree: 'a', usd: 1 }))
      .reviews('work', bad, 0.5);
    expect(run.state.spend.usd).toBe(1.5);
  });
});

describe('B1: a review that could not be had', () => {
  test('B1: it is asked twice more, then the run pauses; the work is not blamed', () => {
    const run = reviewed([tests, review])
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', passes('tests'));
    run.reviews('work', unable).reviews('work', unable);
    expect(run.underWay).toEqual(['review work#1 (review)']);
    run.reviews('work', unable);
    expect(run.paused?.code).toBe('check_error');
    expect(run.says({ kind: 'resume', id: 'm1' }).underWay).toEqual(['review work#1 (review)']);
    expect(run.reviews('work', good).stop?.kind).toBe('succeeded');
  });

  test('B1: a hard check that could not run has its own two repeats, however many reviews were asked meanwhile', () => {
    const always = ['one', 'two', 'three'].map((name) => reviewCheck(name, { needs: 'always' }));
    const run = reviewed([tests, ...always])
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', cannotRun('tests'));
    for (const _review of always) run.reviews('work', good);
    run.judges('work', cannotRun('tests'));
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    expect(run.judges('work', cannotRun('tests')).paused?.code).toBe('check_error');
  });

  test('decision 13: one that was under way when the seat was lost is asked again', () => {
    const run = reviewed([review])
      .attempts('work', ok({ tree: 'a' }))
      .reseats();
    expect(run.underWay).toEqual(['review work#1 (review)']);
  });

  test('decision 4: it is asked again under the same round, where its verdict may be stored already', () => {
    const run = reviewed([tests, review])
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', passes('tests'));
    const before = run.last('checks.started').round;
    run.reseats();
    expect(run.last('checks.started').round).toBe(before);
    expect(run.reviews('work', unable).last('checks.started').round).toBe(before + 1);
  });

  test('C4: a verdict of an older pass is not applied, and its spend counts', () => {
    const steps = [
      step('work', { work: agent }),
      step('check', { after: ['work'], readOnly: true, checks: [review] }),
      step('test', { after: ['work'], loop: loopTo('work') }),
    ];
    const run = play(plan(steps))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .attempts('check', ok());
    expect(run.underWay).toContain('review check#1 (review)');
    run.attempts('test', exited(1)).reviews('check', good, 2);
    expect(run.step('check')).toMatchObject({ pass: 2, phase: 'idle' });
    expect(run.state.spend.usd).toBe(2);
  });
});

describe('B6: judged passes in a row', () => {
  const twice = reviewCheck('review', { consecutive: 2 });
  const again = (run: Play, tree: string) => run.attempts('work', ok({ tree })).judges('work', passes('tests'));

  test('B6, E-04: it passes only after so many in a row, and the next pass is told that nothing is to be mended', () => {
    const run = again(reviewed([tests, twice]), 'a').reviews('work', good);
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.last('loop.fired').message).toMatch(/ \(1\/\d+\): review passed 1 of 2 in a row$/);
    expect(run.input('work').scope.feedback).toMatchObject([
      { check: 'review', summary: 'It passed 1 of 2 times in a row: nothing is to be mended, it is judged once more.' },
    ]);
    expect(again(run, 'a').reviews('work', good).stop?.kind).toBe('succeeded');
  });

  test('B6, C8: a growing streak is progress, though tree and findings are the same', () => {
    const run = reviewed([tests, reviewCheck('review', { consecutive: 5 })]);
    for (let pass = 1; pass <= 5; pass += 1) again(run, 'a').reviews('work', good);
    expect(run.stop?.kind).toBe('succeeded');
  });

  test.each([
    ['a failure of its own', (run: Play) => again(run, 'b').reviews('work', bad)],
    [
      'a failure of another check',
      (run: Play) => run.attempts('work', ok({ tree: 'b' })).judges('work', fails('tests')),
    ],
    [
      'a match that failed',
      (run: Play) => run.attempts('work', matchFailed('no', { tree: 'b' })).judges('work', passes('tests')),
    ],
    ['a dirty exit', (run: Play) => run.attempts('work', exited(1, { tree: 'b' })).judges('work', passes('tests'))],
    ['an edit', (run: Play) => run.says({ kind: 'edit', id: 'm1', plan: edited(run.plan) })],
  ])('B6: %s begins it anew', (_what, happens) => {
    const run = again(reviewed([tests, twice]), 'a').reviews('work', good);
    expect(run.step('work').streaks).toEqual({ review: 1, tests: 1 });
    happens(run);
    expect(again(run, 'c').reviews('work', good).stop).toBeNull();
    expect(again(run, 'd').reviews('work', good).stop?.kind).toBe('succeeded');
  });

  test('B6, B2, E-04: under `any` it grows and is progress though another check fails, and its own failure begins it anew', () => {
    const check = reviewCheck('review', { consecutive: 3, needs: 'always' });
    const run = reviewed([tests, check], { mode: 'any', loop: loopTo('work', { limit: 9 }) });
    const pass = (verdict: Verdict) =>
      run
        .attempts('work', ok({ tree: 'a' }))
        .judges('work', fails('tests'))
        .reviews('work', verdict);
    pass(good);
    pass(good);
    pass(bad);
    pass(good);
    pass(good);
    expect(run.stop).toBeNull();
    expect(pass(good).stop?.kind).toBe('succeeded');
  });

  test('B6, B1: an error begins it anew, and the same pass may begin the next one', () => {
    const run = again(reviewed([tests, twice]), 'a').reviews('work', good);
    again(run, 'b').reviews('work', unable).reviews('work', good);
    expect(run.stop).toBeNull();
    expect(again(run, 'c').reviews('work', good).stop?.kind).toBe('succeeded');
  });

  test('B6, G2: what is judged again on the final tree begins it anew', () => {
    const steps = [
      step('work', { work: agent, checks: [twice], loop: loopTo('work') }),
      step('format', { after: ['work'] }),
    ];
    const run = play(plan(steps))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .reviews('work', good);
    run
      .attempts('work', ok({ tree: 'a' }))
      .reviews('work', good)
      .attempts('format', ok({ tree: 'b' }));
    expect(run.all('step.reopened')).toHaveLength(1);
    expect(run.reviews('work', good).step('work').streaks).toEqual({ review: 1 });
  });

  test('B6, C8: the same work that fails the same way is no progress, whatever a streak was', () => {
    const run = again(reviewed([tests, twice]), 'a').reviews('work', good);
    for (let pass = 0; pass < 3; pass += 1)
      run.attempts('work', exited(1, { tree: 'x' })).judges('work', passes('tests'));
    expect(run.stop?.kind).toBe('no_progress');
  });
});

function edited(before: Plan): Plan {
  return { ...before, steps: before.steps.map((each) => ({ ...each, timeSeconds: each.timeSeconds + 1 })) };
}

describe('B7: the agent’s own report', () => {
  const list = {
    ...tests,
    kind: 'report' as const,
    name: 'list',
    file: 'TODO.json',
    wants: { kind: 'worklist' as const },
  };
  const report = { sha256: 'list', bytes: 1, excerpt: '' };

  test('B7, E-08: the host is told which files are reports, and the next pass gets the list that was left open', () => {
    const loop: LoopPlan = loopTo('work');
    const run = reviewed([list], { loop });
    expect(run.input('work')).toMatchObject({ reportFiles: ['TODO.json'] });
    expect(run.input('work').worklist).toBeUndefined();
    run.attempts('work', { ...ok({ tree: 'a' }), reports: { 'TODO.json': report } });
    const work = { do: 'judge' as const, step: 'work', pass: 1, round: 1, checks: ['list'] };
    expect(judgeInput(run.facts, run.state, work).reports).toEqual({ 'TODO.json': report });
    expect(run.judges('work', fails('list')).input('work').worklist).toEqual(report);
  });

  test('B7, E-06: only the report of the current pass counts', () => {
    const run = reviewed([list]).attempts('work', { ...ok({ tree: 'a' }), reports: { 'TODO.json': report } });
    run.judges('work', fails('list')).attempts('work', ok({ tree: 'b' }));
    const judge = { do: 'judge' as const, step: 'work', pass: 2, round: 1, checks: ['list'] };
    expect(judgeInput(run.facts, run.state, judge).reports).toBeUndefined();
    const attempt = { do: 'attempt' as const, step: 'work', pass: 3, attempt: 1 };
    expect(attemptInput(run.facts, run.state, attempt).worklist).toBeUndefined();
  });
});
