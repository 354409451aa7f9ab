import { describe, expect, test } from 'vitest';

import type { StepPlan } from '#core/plan/plan.ts';
import { baselineInput, judgeInput } from '#core/run/work-input.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { cannotRun, fails, isMissing, type Judged, ok, passes } from './outcomes.ts';
import { play, type Play } from './play.ts';

const names = ['build', 'tests', 'review'] as const;
const agent = scriptedAgent(['true']);

function judged(change: Partial<StepPlan> = {}, ...verdicts: Judged[]): Play {
  const checks = names.map((name) => commandCheck(name, { needs: name === 'review' ? 'passed' : 'always' }));
  const run = play(plan([step('work', { checks, loop: loopTo('work'), ...change })])).opens();
  return run.attempts('work', ok({ tree: 'a' })).judges('work', ...verdicts);
}

describe('B1: pass, fail, missing, error', () => {
  test('B1: every check passed, so the step has succeeded', () => {
    expect(judged({}, passes('build'), passes('tests'), passes('review')).stop?.kind).toBe('succeeded');
  });

  test.each([
    ['fail', fails('tests')],
    ['missing', isMissing('tests')],
  ])('B1, E-07: %s loops the work', (_kind, verdict) => {
    const run = judged({}, passes('build'), verdict);
    expect(run.underWay).toEqual(['attempt work#2.1']);
  });

  test('B1, E-07: an error is asked twice more, alone, and then the run pauses with the reason and the remedy', () => {
    const run = judged({}, passes('build'), cannotRun('tests'));
    const again = ['judge work#1 (tests, review)'];
    expect(run.underWay).toEqual(again);
    expect(run.judges('work', cannotRun('tests')).underWay).toEqual(again);
    run.judges('work', cannotRun('tests'));
    expect(run.paused).toMatchObject({
      code: 'check_error',
      reason: 'A check of step "work" could not run: tests: exit 127',
      remedy: 'Mend what the check needs, then: setpoint resume run_1',
    });
    expect(run.all('loop.fired')).toEqual([]);
    expect(run.step('work')).toMatchObject({ outcome: null, loops: 0 });
  });

  test('B1, B10, decision 4: a retry judges again what could not be judged, and pays for no attempt', () => {
    const run = judged({}, passes('build'), cannotRun('tests'));
    run.judges('work', cannotRun('tests')).judges('work', cannotRun('tests'));
    run.says({ kind: 'retry', id: 'm1' });
    expect(run.underWay).toEqual(['judge work#1 (tests, review)']);
    expect(run.judges('work', passes('tests'), passes('review')).stop?.kind).toBe('succeeded');
    expect(run.all('attempt.started')).toHaveLength(1);
  });

  test('B1: an error that goes away leaves the verdict that came instead', () => {
    const run = judged({}, passes('build'), cannotRun('tests')).judges('work', passes('tests'), passes('review'));
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('B1, B2: what was not asked because a check before it could not run is asked with it', () => {
    const run = judged({}, passes('build'), cannotRun('tests'));
    expect(run.underWay).toEqual(['judge work#1 (tests, review)']);
  });

  test('B1, B2: what stands behind a failed check stays unasked when another is asked again', () => {
    const run = judged({}, fails('build'), cannotRun('tests'));
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    run.judges('work', passes('tests'));
    expect(run.last('loop.fired').count).toBe(1);
  });

  test('B1: judgings that a loop brings anew have their own two repeats', () => {
    const run = judged({}, cannotRun('build')).judges('work', fails('build'), passes('tests'));
    run.attempts('work', ok({ tree: 'b' })).judges('work', cannotRun('build'));
    expect(run.step('work')).toMatchObject({ pass: 2, checkErrors: 1 });
  });

  test('B1: a fault while judging, tried as often as its policy says, stops the run and says which', () => {
    const run = play(plan([step('work', { checks: [commandCheck('tests')] })])).opens();
    run.attempts('work', ok({ tree: 'a' })).faults('work', 'store/unavailable', 'The database did not answer.');
    expect(run.stop).toMatchObject({ kind: 'failed_to_start', code: 'store/unavailable' });
    expect(run.state.workspace.dirty).toBe(true);
  });
});

describe('B2: all, any, needs', () => {
  test('B2, E-03, T-05: under `all` one failure is enough, and every finding is told', () => {
    const run = judged({ loop: loopTo('work', { limit: 0 }) }, fails('build', '1 error'), fails('tests', '2 failed'));
    expect(run.last('step.failed').reason).toBe('build: 1 error; tests: 2 failed (feedback loop limit of 0 reached)');
  });

  test('B2: under `all` a check that was not asked does not pass', () => {
    const run = judged({ loop: loopTo('work', { limit: 0 }) }, passes('build'), passes('tests'));
    expect(run.last('step.failed').reason).toContain('Not judged: review.');
  });

  test('B2, E-03: under `any` one pass is enough, whatever else failed, could not run or was not asked', () => {
    expect(judged({ mode: 'any' }, fails('build'), passes('tests')).stop?.kind).toBe('succeeded');
    expect(judged({ mode: 'any' }, cannotRun('build'), passes('tests')).stop?.kind).toBe('succeeded');
  });

  test('B2: under `any` no pass is a failure', () => {
    expect(judged({ mode: 'any' }, fails('build'), fails('tests')).all('loop.fired').length).toBe(1);
  });

  test('B2: under `any` an error with no pass beside it is asked again', () => {
    expect(judged({ mode: 'any' }, fails('build'), cannotRun('tests')).underWay).toEqual(['judge work#1 (tests)']);
  });

  test('B2: the first judging is given every check in written order', () => {
    const checks = names.map((name) => commandCheck(name));
    const run = play(plan([step('work', { checks })]))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge work#1 (build, tests, review)']);
  });
});

describe('B3: checks judge a pinned snapshot', () => {
  const inputOf = (run: Play) =>
    judgeInput(run.facts, run.state, { do: 'judge', step: 'work', pass: 1, round: 1, checks: ['tests'] });

  test("B3, E-03: a writer's checks judge the snapshot of its attempt, in the workspace", () => {
    const run = play(plan([step('work', { checks: [commandCheck('tests')] })])).opens();
    const input = inputOf(run.attempts('work', ok({ tree: 'a' })));
    expect(input).toMatchObject({ snapshot: { tree: 'a' }, checks: [{ where: 'workspace' }] });
  });

  test("B3: a reader's checks judge the snapshot that it read, on a checkout of their own", () => {
    const run = play(plan([step('work', { readOnly: true, checks: [commandCheck('tests')] })])).opens('base');
    const input = inputOf(run.attempts('work', ok()));
    expect(input).toMatchObject({ snapshot: { tree: 'base' }, checks: [{ where: 'commit' }] });
  });

  test('B3: without a worktree there is no snapshot, and the checks judge the folder as it is', () => {
    const off = { repo: '.', worktree: false, protect: [], keep: [], lane: 'run' as const };
    const run = play(plan([step('work', { checks: [commandCheck('tests')] })], { workspace: off })).opens();
    expect(inputOf(run.attempts('work', ok()))).not.toHaveProperty('snapshot');
  });
});

describe('B4: protected files', () => {
  const guarded = { repo: '.', worktree: true, protect: ['test/**'], keep: [], lane: 'run' as const };
  const change = (verdict: Judged, mode: 'all' | 'any' = 'all') =>
    play(
      plan([step('work', { work: agent, checks: [commandCheck('tests')], mode, loop: loopTo('work') })], {
        workspace: guarded,
      }),
    )
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', verdict, passes('tests'));

  test('B4: a change to one fails the pass and is routed back', () => {
    const run = change(fails('protected files', 'test/a.test.ts was modified: put it back'));
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.input('work').scope.feedback).toMatchObject([
      { check: 'protected files', summary: 'test/a.test.ts was modified: put it back' },
    ]);
  });

  test('B4: under `any` another check that passes does not excuse it', () => {
    expect(change(fails('protected files'), 'any').all('loop.fired').length).toBe(1);
  });

  test('B4: untouched, they hold nothing back', () => {
    expect(change(passes('protected files')).stop?.kind).toBe('succeeded');
  });

  test.each([
    ['an agent without checks', { work: agent }, true],
    ['a reader', { work: agent, readOnly: true }, false],
    ['a command step', {}, false],
  ])('B4: the guard of %s', (_name, change_, isGuarded) => {
    const run = play(plan([step('work', change_)], { workspace: guarded })).opens();
    run.attempts('work', ok('readOnly' in change_ ? {} : { tree: 'a' }));
    expect(run.underWay).toEqual(isGuarded ? ['judge work#1 ()'] : []);
  });
});

test("B8, E-05: a check's own time limit reaches the host with it", () => {
  const run = play(plan([step('work', { checks: [commandCheck('tests', { timeSeconds: 90 })] })])).opens();
  run.attempts('work', ok({ tree: 'a' }));
  const work = { do: 'judge' as const, step: 'work', pass: 1, round: 1, checks: ['tests'] };
  expect(judgeInput(run.facts, run.state, work).checks).toMatchObject([{ timeSeconds: 90 }]);
});

test('B10: what could not run is not failed: no pass is spent and nothing is routed to the work', () => {
  const run = judged({}, cannotRun('build')).judges('work', cannotRun('build')).judges('work', cannotRun('build'));
  expect(run.step('work')).toMatchObject({ pass: 1, loops: 0, feedback: [] });
});

describe('B11: the baseline', () => {
  const based = (baseline: 'report' | 'mustPass' | 'off') =>
    play(
      plan(
        [
          step('work', { work: agent, checks: [commandCheck('tests'), commandCheck('lint', { needs: 'passed' })] }),
          step('verify', { after: ['work'], checks: [commandCheck('more')] }),
        ],
        { baseline },
      ),
    ).opens();

  test('B11: `off` judges nothing before the work', () => {
    expect(based('off').underWay).toEqual(['attempt work#1.1']);
  });

  test("B11: every agent's command checks are judged on the base, whatever they need, under their step's name", () => {
    const run = based('report');
    const input = baselineInput(run.facts, run.state);
    expect(input).toMatchObject({ step: '@baseline', guard: false, snapshot: { tree: 'base' } });
    expect(input.checks.map(({ name, needs }) => [name, needs])).toEqual([
      ['work/tests', 'always'],
      ['work/lint', 'always'],
    ]);
  });

  test('B11: `report` tells the first attempt what fails at the base, and only that', () => {
    const run = based('report');
    expect(run.underWay).toEqual(['@baseline']);
    run.baseline(fails('work/tests', '3 failed'), passes('work/lint'));
    expect(run.underWay).toEqual(['attempt work#1.1']);
    expect(run.input('work').scope.feedback).toEqual([
      { step: 'work', pass: 0, check: 'tests', verdict: 'fail', summary: '3 failed', stale: false, baseline: true },
    ]);
  });

  test('B11: `mustPass` stops before any spend when the base is red', () => {
    const run = based('mustPass').baseline(fails('work/tests', '3 failed'), passes('work/lint'));
    expect(run.stop).toMatchObject({ kind: 'failed', code: 'base_red' });
    expect(run.stop?.reason).toBe('The base is red before any work: tests: 3 failed');
    expect(run.all('attempt.started')).toEqual([]);
  });

  test('B11: `mustPass` goes on when the base is green', () => {
    const run = based('mustPass').baseline(passes('work/tests'), passes('work/lint'));
    expect(run.underWay).toEqual(['attempt work#1.1']);
  });

  test('B11, B10: under `mustPass` a check that could not run pauses the run, and a retry asks the base again', () => {
    const run = based('mustPass').baseline(cannotRun('work/tests'), passes('work/lint'));
    expect(run.paused).toMatchObject({ code: 'check_error' });
    expect(run.says({ kind: 'retry', id: 'm1' }).underWay).toEqual(['@baseline']);
  });

  test('B11: no check of an agent, no baseline', () => {
    expect(play(plan([step('work')], { baseline: 'report' })).opens().underWay).toEqual(['attempt work#1.1']);
  });
});

test('B12: what a check changed is a finding beside its verdict and decides nothing by itself', () => {
  const { check, verdict } = passes('build');
  const mutated = { check, verdict: { ...verdict, findings: ['check_mutated_tree: it changed 1 path(s)'] } };
  const run = judged({}, mutated, passes('tests'), passes('review'));
  expect(run.stop?.kind).toBe('succeeded');
  expect(run.step('work').verdicts[0]?.verdict.findings).toHaveLength(1);
});
