import { describe, expect, test } from 'vitest';

import type { LoopPlan } from '#core/plan/plan.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { exited, fails, matchFailed, met, ok, passes, timedOut, unclear, unmet } from './outcomes.ts';
import { play, type Play } from './play.ts';

/** plan → implement → test → review, with a reader `docs` beside test. */
function feature(change: { test?: Partial<LoopPlan>; review?: Partial<LoopPlan> } = {}): Play {
  return play(
    plan([
      step('plan'),
      step('implement', { after: ['plan'] }),
      step('test', { after: ['implement'], loop: loopTo('implement', { limit: 2, ...change.test }) }),
      step('docs', { after: ['implement'], readOnly: true }),
      step('review', { after: ['test'], readOnly: true, loop: loopTo('implement', { limit: 2, ...change.review }) }),
    ]),
  ).opens();
}

const implemented = (run: Play, tree = 'a') => run.attempts('implement', ok({ tree }));
const begun = (change: Parameters<typeof feature>[0] = {}) =>
  implemented(feature(change).attempts('plan', ok({ tree: 'planned' })));

describe('C1: every loop has a bound', () => {
  test('C1, V-14: a limit of 2 runs the target at most three times', () => {
    const run = play(plan([step('work', { loop: loopTo('work', { limit: 2 }) })])).opens();
    for (const tree of ['a', 'b', 'c']) run.attempts('work', exited(1, { tree }));
    expect(run.stop?.kind).toBe('exhausted');
    expect(run.step('work').begun).toBe(3);
  });

  test('C1, C-15: a loop without a limit of its own is ended by the time limit of the run', () => {
    const limits = { noProgress: 0, timeSeconds: 100, onTime: 'fail' as const, onSpend: 'fail' as const };
    const run = play(plan([step('work', { loop: loopTo('work', { limit: null }) })], { limits })).opens();
    for (let pass = 0; pass < 10; pass += 1) run.later(10).attempts('work', exited(1));
    expect(run.last('loop.fired').message).toContain('(9)');
    expect(run.stop?.kind).toBe('timed_out');
  });
});

describe('C2: loop back', () => {
  test('C2, V-15: a failing step resets its target, everything downstream and itself', () => {
    const run = begun()
      .attempts('docs', ok())
      .attempts('test', exited(1, { tree: 'a' }));
    expect(run.last('loop.fired')).toMatchObject({
      reset: ['implement', 'test', 'docs', 'review'],
      count: 1,
      limit: 2,
    });
    expect(run.step('plan')).toMatchObject({ pass: 1, outcome: 'succeeded' });
    for (const id of ['implement', 'test', 'docs', 'review']) expect(run.step(id).pass).toBe(2);
    expect(run.underWay).toEqual(['attempt implement#2.1']);
  });

  test('C2, V-16: one line says who asked, where it goes and how often', () => {
    const run = begun().attempts('test', exited(1, { tree: 'a' }));
    expect(run.last('loop.fired').message).toBe('↺ test requested another pass: looping back to "implement" (1/2)');
  });

  test('C2, V-17: a step that loops has not failed', () => {
    expect(
      begun()
        .attempts('test', exited(1, { tree: 'a' }))
        .all('step.failed'),
    ).toEqual([]);
  });

  test('C2, V-18: budget spent, the step fails with its error and the limit', () => {
    const run = play(plan([step('test', { loop: loopTo('test', { limit: 1 }) })])).opens();
    run.attempts('test', exited(1, { tree: 'a' })).attempts('test', exited(2, { tree: 'b' }));
    expect(run.last('step.failed').reason).toBe('exit 2 (feedback loop limit of 1 reached)');
    expect(run.stop?.kind).toBe('exhausted');
  });

  test.each([
    ['a failed match', matchFailed('Verdict: output matched fail pattern /CHANGES/')],
    ['a non-zero exit', exited(1)],
    ['a time-out', timedOut(60)],
  ])('C2, V-13: %s loops', (_name, result) => {
    const run = play(plan([step('test', { loop: loopTo('test') })]))
      .opens()
      .attempts('test', result);
    expect(run.underWay).toEqual(['attempt test#2.1']);
  });

  test('C2, V-23: counters are per looping step, so two with 2 each let the target run five times', () => {
    const run = begun();
    for (const tree of ['b', 'c']) implemented(run.attempts('test', exited(1, { tree })), tree);
    expect(run.step('test').loops).toBe(2);
    for (const tree of ['d', 'e']) {
      run.attempts('test', ok({ tree: `${tree}-tested` })).attempts('review', matchFailed('Verdict: not approved'));
      implemented(run, tree);
    }
    expect(run.step('review').loops).toBe(2);
    expect(run.step('implement').begun).toBe(5);
    run.attempts('test', exited(1, { tree: 'f' }));
    expect(run.last('run.ending').stop.kind).toBe('exhausted');
  });

  test('C2, E8: a retry of the run counts anew', () => {
    const run = play(plan([step('test', { loop: loopTo('test', { limit: 1 }) })])).opens();
    run.attempts('test', exited(1, { tree: 'a' })).attempts('test', exited(1, { tree: 'b' }));
    run.says({ kind: 'retry', id: 'm1' }).attempts('test', exited(1, { tree: 'c' }));
    expect(run.last('loop.fired')).toMatchObject({ count: 1, limit: 1 });
  });

  test('C2, V-28: a step loops before continueOnError matters', () => {
    const run = play(plan([step('test', { loop: loopTo('test', { limit: 1 }), continueOnError: true })])).opens();
    run.attempts('test', exited(1, { tree: 'a' }));
    expect(run.underWay).toEqual(['attempt test#2.1']);
    run.attempts('test', exited(1, { tree: 'b' }));
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('C2: loops nest: the outer one gives the target a new pass, the inner counter goes on', () => {
    const nested = plan([
      step('fix', { loop: loopTo('fix', { limit: 3 }) }),
      step('review', { after: ['fix'], readOnly: true, loop: loopTo('fix', { limit: 2 }) }),
    ]);
    const run = play(nested)
      .opens()
      .attempts('fix', exited(1, { tree: 'a' }))
      .attempts('fix', ok({ tree: 'b' }));
    run.attempts('review', matchFailed('Verdict: not approved'));
    expect(run.step('fix')).toMatchObject({ pass: 3, loops: 1 });
  });
});

describe('C3: in flight when a loop fires', () => {
  test('C3: members that run are cancelled, and run again once they have settled', () => {
    const run = begun();
    expect(run.underWay).toEqual(['attempt test#1.1', 'attempt docs#1.1']);
    run.attempts('test', exited(1, { tree: 'a' }));
    expect(run.cancelled).toEqual(['docs']);
    expect(run.step('docs')).toMatchObject({ pass: 2, busy: { pass: 1, cancelling: true } });
    run.endsCancelled('docs');
    implemented(run, 'b');
    expect(run.underWay).toEqual(['attempt test#2.1', 'attempt docs#2.1']);
  });

  test('C3, V-26: with `keep` what runs is left out, and its result counts for its pass', () => {
    const run = begun({ test: { inFlight: 'keep' } }).attempts('test', exited(1, { tree: 'a' }));
    expect(run.cancelled).toEqual([]);
    expect(run.last('loop.fired').reset).toEqual(['implement', 'test', 'review']);
    run.attempts('docs', ok());
    expect(run.step('docs')).toMatchObject({ pass: 1, outcome: 'succeeded', resultPass: 1 });
  });

  test('C3, V-26: with `keep` what waits within a pass it has begun is left out too', () => {
    const run = play(
      plan([
        step('implement'),
        step('test', {
          after: ['implement'],
          checks: [commandCheck('tests')],
          loop: loopTo('implement', { inFlight: 'keep' }),
        }),
        step('docs', { after: ['implement'], readOnly: true, checks: [commandCheck('links')] }),
      ]),
    ).opens();
    run.attempts('implement', ok({ tree: 'a' })).attempts('docs', ok());
    expect(run.step('docs').phase).toBe('attempted');
    run.attempts('test', ok({ tree: 'b' })).judges('test', fails('tests'));
    expect(run.last('loop.fired').reset).toEqual(['implement', 'test']);
    run
      .attempts('implement', ok({ tree: 'c' }))
      .attempts('test', ok({ tree: 'd' }))
      .judges('test', passes('tests'));
    expect(run.step('docs').pass).toBe(1);
    expect(run.underWay).toEqual(['judge docs#1 (links)']);
  });

  test('C3: with `keep` a step whose condition is only being asked has not begun, and is reset', () => {
    const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 60 };
    const run = play(
      plan([
        step('implement'),
        step('test', { after: ['implement'], readOnly: true, loop: loopTo('implement', { inFlight: 'keep' }) }),
        step('docs', { after: ['implement'], when: { condition, onUnmet: 'skip', onError: 'pause' } }),
      ]),
    ).opens();
    run.attempts('implement', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['attempt test#1.1', 'when docs#1']);
    run.attempts('test', exited(1));
    expect(run.last('loop.fired').reset).toEqual(['implement', 'test', 'docs']);
    expect(run.cancelled).toEqual(['docs']);
  });

  test('C3: a reset step downstream of one that was kept waits for it', () => {
    const run = play(
      plan([
        step('implement'),
        step('docs', { after: ['implement'], readOnly: true }),
        step('test', { after: ['implement'], loop: loopTo('implement', { inFlight: 'keep' }) }),
        step('release', { after: ['docs', 'test'] }),
      ]),
    ).opens();
    run.attempts('implement', ok({ tree: 'a' })).attempts('test', exited(1, { tree: 'a' }));
    run.attempts('implement', ok({ tree: 'b' })).attempts('test', ok({ tree: 'b' }));
    expect(run.underWay).toEqual(['attempt docs#1.1']);
    expect(run.attempts('docs', ok()).underWay).toEqual(['attempt release#2.1']);
  });
});

describe('C4: results are stamped', () => {
  test('C4: a result of an older pass is recorded and not applied, and its spend counts', () => {
    const run = begun().attempts('test', exited(1, { tree: 'a' }));
    run.attempts('docs', ok({ usd: 0.5, output: 'late' }));
    expect(run.last('attempt.finished')).toMatchObject({ step: 'docs', pass: 1 });
    expect(run.step('docs')).toMatchObject({ phase: 'idle', result: null, pass: 2 });
    expect(run.state.spend.usd).toBe(0.5);
  });

  test('C4: verdicts of an older pass are not applied', () => {
    const run = play(
      plan([
        step('implement'),
        step('docs', { after: ['implement'], readOnly: true, checks: [commandCheck('links')] }),
        step('test', { after: ['implement'], readOnly: true, loop: loopTo('implement') }),
      ]),
    ).opens();
    run
      .attempts('implement', ok({ tree: 'a' }))
      .attempts('docs', ok())
      .attempts('test', exited(1));
    expect(run.step('docs').busy).toMatchObject({ work: 'checks', pass: 1, cancelling: true });
    run.judges('docs', passes('links'));
    expect(run.step('docs')).toMatchObject({ pass: 2, verdicts: [], phase: 'idle', busy: null });
  });
});

describe('C5: repeat', () => {
  const condition = { command: 'test -f done', compare: 'exitCode' as const, returns: '0', timeSeconds: 60 };
  const repeating = (mode: 'until' | 'while', change: Partial<LoopPlan> = {}) =>
    play(
      plan([
        step('work', {
          loop: loopTo('work', { on: 'always', repeat: { mode, condition, onError: 'pause' }, ...change }),
        }),
      ]),
    ).opens();

  test.each([
    ['until', unmet, true],
    ['until', met, false],
    ['while', met, true],
    ['while', unmet, false],
  ] as const)('C5, D-03: %s, asked after the pass: %o', (mode, outcome, isRepeated) => {
    const run = repeating(mode).attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['repeat work#1']);
    run.evaluates('work', outcome);
    expect(run.underWay).toEqual(isRepeated ? ['attempt work#2.1'] : []);
  });

  test('C5, D-03: the wait before pass n+1 grows by the backoff, up to its cap', () => {
    const run = repeating('until', { wait: { everySeconds: 10, backoff: 3, maxSeconds: 60 } });
    for (const wait of [10, 30, 60]) {
      run.attempts('work', ok()).evaluates('work', unmet);
      expect(run.wakesInSeconds).toBe(wait);
      expect(run.underWay).toEqual([]);
      run.waits(wait);
    }
    expect(run.underWay).toEqual(['attempt work#4.1']);
  });

  test('C5: an attempt that fails repeats as well (D-15)', () => {
    expect(repeating('until').attempts('work', exited(1)).evaluates('work', unmet).underWay).toEqual([
      'attempt work#2.1',
    ]);
  });

  test('C5: met after a failed attempt ends the repeat and judges nothing: the step fails', () => {
    const run = repeating('until').attempts('work', exited(1)).evaluates('work', met);
    expect(run.stop?.reason).toBe('Step "work" failed: exit 1');
  });

  test('C5, D-16: an error is neither: it is asked twice more, then the run pauses', () => {
    const run = repeating('until').attempts('work', ok()).evaluates('work', unclear).evaluates('work', unclear);
    expect(run.underWay).toEqual(['repeat work#1']);
    expect(run.evaluates('work', unclear).paused).toMatchObject({ code: 'condition_error' });
  });

  test('C5: an error fails the step where the plan says so', () => {
    const run = repeating('until', { repeat: { mode: 'until', condition, onError: 'fail' } }).attempts('work', ok());
    run.evaluates('work', unclear).evaluates('work', unclear).evaluates('work', unclear);
    expect(run.stop?.reason).toBe(
      'Step "work" failed: The loop condition of step "work" could not be judged: exit 127',
    );
  });

  test('C5, D-04, D-05: the limit of a repeat ends it and judges nothing; a later step is the judge', () => {
    const repeat = { mode: 'until' as const, condition, onError: 'pause' as const };
    const loop = loopTo('work', { on: 'always', limit: 1, repeat, onExhausted: 'succeed' });
    const run = play(plan([step('work', { loop }), step('test', { after: ['work'] })])).opens();
    run.attempts('work', ok({ tree: 'a' })).evaluates('work', unmet);
    run.attempts('work', ok({ tree: 'b' })).evaluates('work', unmet);
    expect(run.last('step.succeeded')).toMatchObject({ step: 'work', note: expect.stringContaining('exhausted') });
    expect(run.attempts('test', exited(1, { tree: 'b' })).stop).toMatchObject({ kind: 'failed' });
  });

  test('C5: a loop that fires only on failure does not ask after a pass', () => {
    expect(repeating('until', { on: 'fail' }).attempts('work', ok()).stop?.kind).toBe('succeeded');
  });

  test('C5, C8: what a repeat waits for need not change the tree, so it is no lack of progress', () => {
    const run = repeating('until');
    for (let pass = 1; pass <= 4; pass += 1) run.attempts('work', ok({ tree: 'a' })).evaluates('work', unmet);
    expect(run.underWay).toEqual(['attempt work#5.1']);
  });
});

describe('C6: retry on pass', () => {
  const again = (change: Partial<LoopPlan>) =>
    play(plan([step('work', { loop: loopTo('work', { on: 'pass', limit: 1, ...change }) })])).opens();

  test('C6: a pass is followed by another while there is budget, with nothing to mend', () => {
    const run = again({}).attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.input('work').scope.feedback).toEqual([]);
  });

  test('C6, C-08: budget spent while it still passes is what the plan says it is', () => {
    const spent = (onExhausted: LoopPlan['onExhausted']) =>
      again({ onExhausted })
        .attempts('work', ok({ tree: 'a' }))
        .attempts('work', ok({ tree: 'b' }));
    expect(spent('succeed').stop?.kind).toBe('succeeded');
    expect(spent('fail').stop?.kind).toBe('exhausted');
  });

  test('C6, C-07, C-09: passes and failures share one budget, and a failure after a pass is a failure', () => {
    const run = play(plan([step('work', { loop: loopTo('work', { on: 'always', limit: 2 }) })])).opens();
    run.attempts('work', ok({ tree: 'a' })).attempts('work', exited(1, { tree: 'b' }));
    expect(run.all('loop.fired').map(({ count }) => count)).toEqual([1, 2]);
    run.attempts('work', exited(1, { tree: 'c' }));
    expect(run.stop).toMatchObject({ kind: 'exhausted', reason: expect.stringContaining('loop limit of 2 reached') });
  });

  test('C6, C-05: a loop asks its own words after a failure and after a pass, else the step its own', () => {
    const prompts = { fail: 'Mend it.', pass: 'Do it better.' };
    const asked = (change: Partial<LoopPlan>) => {
      const run = play(
        plan([
          step('work', { work: scriptedAgent(['true']), loop: loopTo('work', { on: 'always', limit: 2, ...change }) }),
        ]),
      ).opens();
      run.attempts('work', ok({ tree: 'a' })).attempts('work', exited(1, { tree: 'b' }));
      return run.inputs.map(({ step: { work } }) => (work.kind === 'agent' ? work.prompt : work.kind));
    };
    const own = asked({})[0];
    expect(asked({ prompts })).toEqual([own, 'Do it better.', 'Mend it.']);
    expect(asked({ prompts: { fail: 'Mend it.' } })).toEqual([own, own, 'Mend it.']);
    expect(asked({})).toEqual([own, own, own]);
  });

  test('C6: a failure does not fire it', () => {
    expect(again({}).attempts('work', exited(1)).stop?.kind).toBe('failed');
  });
});

test('C2: a loop to a step that is not upstream resets that step, what is after it, and the failing one', () => {
  const run = play(plan([step('a'), step('b', { loop: loopTo('c') }), step('c'), step('d', { after: ['c'] })])).opens();
  run.attempts('a', ok({ tree: 'a' })).attempts('b', exited(1, { tree: 'a' }));
  expect(run.last('loop.fired').reset).toEqual(['b', 'c', 'd']);
});

test('C2, B2: a pass whose checks fail loops with every finding as feedback', () => {
  const checks = [commandCheck('lint'), commandCheck('tests')];
  const run = play(plan([step('work', { checks, loop: loopTo('work') })])).opens();
  run.attempts('work', ok({ tree: 'a' })).judges('work', fails('lint', '1 error'), fails('tests', '2 failed'));
  expect(run.input('work').scope.feedback.map(({ check }) => check)).toEqual(['lint', 'tests']);
});
