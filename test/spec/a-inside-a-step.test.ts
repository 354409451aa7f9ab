import { describe, expect, test } from 'vitest';

import type { RetryPlan } from '#core/plan/plan.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { attemptInput, deliverInput, evaluateInput, judgeInput } from '#core/run/work-input.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import {
  cannotRun,
  crashed,
  ended,
  exited,
  fails,
  matchFailed,
  met,
  ok,
  overload,
  passes,
  quota,
  refused,
  timedOut,
  unclear,
  unmet,
} from './outcomes.ts';
import { play } from './play.ts';

const condition = { command: 'test -f wanted', compare: 'exitCode' as const, returns: '0', timeSeconds: 60 };
const tests = commandCheck('tests');
const retry = (on: RetryPlan['on'], limit = 2): RetryPlan => ({ on, limit, everySeconds: 10, backoff: 2 });

describe('A1: the order inside a step', () => {
  const ordered = plan([
    step('work', {
      when: { condition, onUnmet: 'skip', onError: 'pause', once: true },
      checks: [tests],
      loop: loopTo('work', { limit: 1 }),
      continueOnError: true,
    }),
  ]);

  test('A1, V-24: condition, attempt, infrastructure retry, match, checks, loop, then continue on error', () => {
    const run = play(ordered).opens();
    expect(run.underWay).toEqual(['when work#1']);
    run.evaluates('work', met).attempts('work', overload()).waits(10);
    expect(run.underWay).toEqual(['attempt work#1.2']);
    run.attempts('work', matchFailed('Verdict: output did not match pass pattern /ok/', { tree: 'a' }));
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    run.judges('work', passes('tests'));
    expect(run.last('loop.fired').step).toBe('work');
    run.attempts('work', exited(1, { tree: 'b' })).judges('work', fails('tests'));
    expect(run.last('step.failed')).toMatchObject({ continued: true, stop: 'exhausted' });
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('A1: a step that fails without a loop fails the run', () => {
    const run = play(plan([step('work')]))
      .opens()
      .attempts('work', exited(3));
    expect(run.stop).toEqual({ kind: 'failed', reason: 'Step "work" failed: exit 3' });
  });
});

describe('A2: budgets are never mixed', () => {
  const working = (policy: RetryPlan) => plan([step('work', { retry: policy, loop: loopTo('work') })]);

  const retried: [string, RetryPlan['on'], AttemptResult, boolean][] = [
    ['an overloaded provider is infrastructure', 'infrastructure', overload(), true],
    ['an exit code is not infrastructure', 'infrastructure', exited(1), false],
    ['a time-out is not infrastructure (A3)', 'infrastructure', timedOut(5), false],
    ['everything but a verdict takes an exit code', 'notVerdict', exited(1), true],
    ['everything but a verdict takes a time-out', 'notVerdict', timedOut(5), true],
    ['everything but a verdict takes an overload', 'notVerdict', overload(), true],
    ['a listed exit code', [75], exited(75), true],
    ['an exit code that is not listed', [75], exited(1), false],
    ['a time-out has no exit code', [75], timedOut(5), false],
  ];
  test.each(retried)('A2: %s', (_name, on, result, isRetried) => {
    const run = play(working(retry(on)))
      .opens()
      .attempts('work', result);
    expect(run.all('attempt.retried').length).toBe(isRetried ? 1 : 0);
    expect(run.all('loop.fired').length).toBe(isRetried ? 0 : 1);
  });

  test('A2, D-13: retries wait ever longer, and the next pass has all of them again', () => {
    const run = play(working(retry('notVerdict')))
      .opens()
      .attempts('work', exited(1));
    expect(run.underWay).toEqual([]);
    expect(run.wakesInSeconds).toBe(10);
    run.waits(10).attempts('work', exited(1));
    expect(run.wakesInSeconds).toBe(20);
    run.waits(20).attempts('work', exited(1));
    expect(run.last('loop.fired').count).toBe(1);
    expect(run.step('work')).toMatchObject({ pass: 2, retries: 0, attempt: 1 });
    run.attempts('work', exited(1));
    expect(run.last('attempt.retried').kind).toBe('retry');
  });

  test('A2: a provider that names a longer wait than the plan is waited for', () => {
    const run = play(working(retry('infrastructure')))
      .opens()
      .attempts('work', overload(90));
    expect(run.wakesInSeconds).toBe(90);
  });

  test('A2: retries, restarts after a crash, waits for a window and passes each spend only their own budget', () => {
    const run = play(working(retry('notVerdict'))).opens();
    run.attempts('work', exited(1)).waits(10).attempts('work', crashed()).attempts('work', quota());
    expect(run.step('work')).toMatchObject({ retries: 1, crashes: 1, waits: 1, loops: 0, pass: 1 });
  });

  test('A2: once the budget for an overload is spent the run stops as provider_error', () => {
    const run = play(working(retry('infrastructure', 1))).opens();
    run.attempts('work', overload()).waits(10).attempts('work', overload());
    expect(run.stop).toMatchObject({ kind: 'provider_error', reason: 'the provider is busy' });
    expect(run.stop?.remedy).toBeDefined();
  });
});

describe('A3: what is never retried', () => {
  test('A3, V-09: a failed verdict goes to the loop with retries left', () => {
    const generous = plan([step('work', { checks: [tests], retry: retry('notVerdict'), loop: loopTo('work') })]);
    const run = play(generous)
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'));
    expect(run.all('attempt.retried')).toEqual([]);
    expect(run.underWay).toEqual(['attempt work#2.1']);
  });

  test('A3, V-09: a failed match goes to the loop with retries left', () => {
    const generous = plan([step('work', { retry: retry('notVerdict'), loop: loopTo('work') })]);
    const run = play(generous).opens().attempts('work', matchFailed('Verdict: output matched fail pattern /no/'));
    expect(run.all('attempt.retried')).toEqual([]);
    expect(run.underWay).toEqual(['attempt work#2.1']);
  });

  test.each(['agent/not-found', 'agent/not-authenticated', 'agent/prompt-too-large', 'template/unresolved'])(
    'A3: the deterministic fault %s stops the run, once',
    (code) => {
      const run = play(plan([step('work', { loop: loopTo('work') })]))
        .opens()
        .faults('work', code, 'codex: run `codex login`');
      expect(run.stop).toEqual({ kind: 'failed_to_start', code, reason: 'codex: run `codex login`' });
      expect(run.all('attempt.started').length).toBe(1);
    },
  );

  test('A3: a request that the provider refuses stops the run with its remedy', () => {
    const run = play(plan([step('work', { retry: retry('notVerdict') })]))
      .opens()
      .attempts('work', refused());
    expect(run.stop).toEqual({
      kind: 'provider_error',
      reason: 'the model does not exist',
      remedy: 'Name another model.',
    });
  });
});

describe('A4: attempt and checks must both hold', () => {
  test.each([
    ['exit 1', exited(1, { tree: 'a' }), 'exit 1'],
    ['a time-out', timedOut(30, { tree: 'a' }), 'The attempt ran into its time limit of 30 s.'],
  ])('A4: passing checks do not excuse %s', (_name, result, reason) => {
    const run = play(plan([step('work', { checks: [tests] })]))
      .opens()
      .attempts('work', result)
      .judges('work', passes('tests'));
    expect(run.last('step.failed').reason).toBe(reason);
  });

  test.each([
    ['a command that exits with 1', exited(1)],
    ['one that ran out of time', timedOut(30)],
  ])('A4, A6, V-05: a pattern that matches does not excuse %s', (_name, result) => {
    const run = play(plan([step('work')])).opens();
    run.attempts('work', { ...result, match: { kind: 'pass', reason: '' } });
    expect(run.stop?.kind).toBe('failed');
  });

  test('A4: the tree behind a dirty exit is judged, and the next pass builds on it', () => {
    const run = play(plan([step('work', { checks: [tests], loop: loopTo('work') })])).opens();
    run.attempts('work', exited(1, { tree: 'half' })).judges('work', fails('tests', '2 failed'));
    expect(run.input('work')).toMatchObject({ restore: false, from: { tree: 'half' } });
    expect(run.input('work').scope.feedback.map(({ summary }) => summary)).toEqual(['exit 1', '2 failed']);
  });
});

describe('A5: the recorded output', () => {
  test('A5, D-07: a step after it is given the output of the last finished attempt by reference', () => {
    const run = play(plan([step('work'), step('report', { after: ['work'] })]));
    run.opens().attempts('work', ok({ output: 'the answer' }));
    expect(run.input('report').scope.outputs['work']).toMatchObject({ sha256: 'the answer' });
  });

  test('A5: the output outlives its pass, so that a template can name it in the next (V-19)', () => {
    const run = play(plan([step('work', { loop: loopTo('work') })])).opens();
    expect(run.input('work').scope.outputs).toEqual({});
    run.attempts('work', exited(1, { output: 'the first try' }));
    expect(run.input('work').scope.outputs['work']).toMatchObject({ sha256: 'the first try' });
    expect(run.input('work').scope.iteration).toBe(1);
  });
});

describe('A11, V-19, V-21: what a template may name', () => {
  const looping = plan([step('work', { loop: loopTo('work') }), step('other')], { name: 'Green tests' });

  test('A11, V-21: the run, the outputs so far, the feedback, and how often the step was entered again', () => {
    const run = play(looping).opens();
    expect(run.input('work').scope).toEqual({
      inputs: {},
      outputs: {},
      feedback: [],
      iteration: 0,
      run: { id: 'run_1', name: 'Green tests', base: 'commit-base' },
    });
    run.attempts('work', exited(1, { tree: 'a', output: 'first' }));
    const { iteration, outputs, feedback } = run.input('work').scope;
    expect(iteration).toBe(1);
    expect(Object.keys(outputs)).toEqual(['work']);
    expect(feedback).toHaveLength(1);
  });

  test("A11: the run's inputs reach attempts, conditions, checks and the delivery alike", () => {
    const guard = { condition, onUnmet: 'skip' as const, onError: 'pause' as const };
    const run = play(plan([step('work', { when: guard })])).opens();
    const facts = { plan: run.plan, inputs: { issue: '7' } };
    const at = { step: 'work', pass: 1 };
    const evaluate = evaluateInput(facts, run.state, { do: 'evaluate', ...at, purpose: 'when' });
    expect(evaluate).toMatchObject({
      condition,
      purpose: 'when',
      snapshot: { tree: 'base' },
      workspace: { path: '/work' },
    });
    for (const { scope } of [
      evaluate,
      attemptInput(facts, run.state, { do: 'attempt', ...at, attempt: 1 }),
      judgeInput(facts, run.state, { do: 'judge', ...at, round: 1, checks: [] }),
      deliverInput(facts, run.state),
    ]) {
      expect(scope.inputs).toEqual({ issue: '7' });
    }
  });
});

describe('A6: match', () => {
  test('A6: the reason of a failed match is the reason of the failed step (V-02)', () => {
    const reason = 'Verdict: output did not match pass pattern /VERDICT: APPROVE/';
    const run = play(plan([step('work')]))
      .opens()
      .attempts('work', matchFailed(reason));
    expect(run.last('step.failed').reason).toBe(reason);
  });

  test('A6: a pattern that cannot be judged pauses the run; the work is not blamed', () => {
    const match = { kind: 'error' as const, reason: 'The pattern /(a+)+$/ took too long on this output.' };
    const run = play(plan([step('work', { loop: loopTo('work') })]))
      .opens()
      .attempts('work', ok({ match }));
    expect(run.paused).toMatchObject({ code: 'match_error' });
    expect(run.paused?.reason).toContain('took too long');
    expect(run.all('loop.fired')).toEqual([]);
  });
});

describe('A8: conditions before a step', () => {
  const guarded = (change: { onUnmet?: 'skip' | 'stop'; onError?: 'pause' | 'fail' }) =>
    plan([
      step('work', { when: { condition, onUnmet: 'skip', onError: 'pause', ...change } }),
      step('after', { after: ['work'] }),
    ]);

  test('A8: met, and the step is attempted', () => {
    expect(play(guarded({})).opens().evaluates('work', met).underWay).toEqual(['attempt work#1.1']);
  });

  test('A8, C-11: unmet skips the step, which is not failed, and its dependents run', () => {
    const run = play(guarded({})).opens().evaluates('work', unmet);
    expect(run.step('work')).toMatchObject({
      outcome: 'skipped',
      reason: 'Its condition is not met: `test -f wanted` gives "1".',
    });
    expect(run.underWay).toEqual(['attempt after#1.1']);
    expect(run.attempts('after', ok()).stop?.kind).toBe('succeeded');
  });

  test('A8, C-11: unmet with `stop` fails the run', () => {
    const run = play(guarded({ onUnmet: 'stop' }))
      .opens()
      .evaluates('work', unmet);
    expect(run.stop?.reason).toBe('Step "work" failed: Its condition is not met: `test -f wanted` gives "1".');
  });

  test('A8, C-11, D-14: it is asked once before a step that repeats itself, and again when another step sends work back', () => {
    const when = { condition, onUnmet: 'skip', onError: 'pause', once: true } as const;
    const work = step('work', { when, loop: loopTo('work') });
    const run = play(plan([work, step('after', { after: ['work'], loop: loopTo('work') })])).opens();
    run.evaluates('work', met).attempts('work', exited(1));
    expect(run.underWay).toEqual(['attempt work#2.1']);
    run.attempts('work', ok()).attempts('after', exited(1));
    expect(run.underWay).toEqual(['when work#3']);
  });

  test('A8, E5: a run whose plan an older build compiled asks it before each pass, as it began', () => {
    const when = { condition, onUnmet: 'skip', onError: 'pause' } as const;
    const run = play(plan([step('work', { when, loop: loopTo('work') })])).opens();
    run.evaluates('work', met).attempts('work', exited(1));
    expect(run.underWay).toEqual(['when work#2']);
  });

  test('A8, C-13: an error is neither: it is asked twice more, then the run pauses', () => {
    const run = play(guarded({})).opens().evaluates('work', unclear).evaluates('work', unclear);
    expect(run.underWay).toEqual(['when work#1']);
    run.evaluates('work', unclear);
    expect(run.paused).toMatchObject({ code: 'condition_error' });
    expect(run.step('work').outcome).toBeNull();
  });

  test('A8: an error fails the step where the plan says so', () => {
    const run = play(guarded({ onError: 'fail' })).opens();
    run.evaluates('work', unclear).evaluates('work', unclear).evaluates('work', unclear);
    expect(run.stop?.reason).toBe('Step "work" failed: Its condition could not be judged: exit 127');
  });

  test('A8: a fault while it is asked is its error, and stops no run', () => {
    const run = play(guarded({})).opens().faults('work', 'store/unavailable', 'The store did not answer.');
    expect(run.step('work').when).toEqual({ kind: 'error', reason: 'The store did not answer.' });
    expect(run.underWay).toEqual(['when work#1']);
    expect(run.stop).toBeNull();
  });

  test('A8: an answer after an error counts', () => {
    const run = play(guarded({})).opens().evaluates('work', unclear).evaluates('work', met);
    expect(run.underWay).toEqual(['attempt work#1.1']);
  });
});

test('A12: an attempt whose signals disagree has failed, with both in its reason', () => {
  const reason = 'inconsistent_exit: exit 0, but the terminal event says error';
  const run = play(plan([step('work', { work: scriptedAgent(['true']), checks: [tests] })])).opens();
  run.attempts('work', ended({ kind: 'failed', reason }, { exitCode: 0, tree: 'a' })).judges('work', passes('tests'));
  expect(run.last('step.failed').reason).toBe(reason);
});

test('A4, B1: a check that cannot run behind a dirty exit is asked again before the pass is decided', () => {
  const run = play(plan([step('work', { checks: [tests], loop: loopTo('work') })])).opens();
  run.attempts('work', exited(1, { tree: 'a' })).judges('work', cannotRun('tests'));
  expect(run.underWay).toEqual(['judge work#1 (tests)']);
});
