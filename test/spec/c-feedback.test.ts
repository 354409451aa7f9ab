import { describe, expect, test } from 'vitest';

import { feedbackFor } from '#core/feedback/route.ts';
import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { exited, fails, isMissing, matchFailed, ok, passes } from './outcomes.ts';
import { play } from './play.ts';

const agent = scriptedAgent(['true']);
const checks = [commandCheck('lint'), commandCheck('tests')];
const looping = plan([step('work', { work: agent, checks, loop: loopTo('work') })]);

const reference = (sha256: string) => ({ sha256, bytes: 1, excerpt: sha256 });

describe('C9: feedback', () => {
  test('C9: the first pass has none', () => {
    expect(play(looping).opens().input('work').scope.feedback).toEqual([]);
  });

  test('C9: what did not pass reaches the next pass, stamped with step, check and pass', () => {
    const run = play(looping)
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    run.judges('work', fails('lint', '1 error'), isMissing('tests'));
    const stamp = { step: 'work', pass: 1, stale: false, baseline: false };
    expect(run.input('work').scope.feedback).toEqual([
      { ...stamp, check: 'lint', verdict: 'fail', summary: '1 error' },
      { ...stamp, check: 'tests', verdict: 'missing', summary: 'no report' },
    ]);
  });

  test('C9: each entry brings its excerpt, and the whole output to look it up in', () => {
    const run = play({ ...looping, baseline: 'report' }).opens();
    const { check, verdict } = fails('lint', '1 error');
    const refs = { feedback: reference('excerpt'), log: reference('whole') };
    const told = { check, verdict: { ...verdict, evidence: { ...verdict.evidence, ...refs } } };
    run.baseline({ ...told, check: 'work/lint' });
    const texts = { text: refs.feedback, whole: refs.log };
    expect(run.input('work').scope.feedback).toMatchObject([{ baseline: true, ...texts }]);
    run.attempts('work', ok({ tree: 'a' })).judges('work', told, fails('tests'));
    const [lint, tests] = run.input('work').scope.feedback;
    expect(lint).toMatchObject(texts);
    expect(tests).not.toHaveProperty('text');
    expect(tests).not.toHaveProperty('whole');
  });

  test('C9: it is replaced with each pass, never appended', () => {
    const run = play(looping)
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('lint'), passes('tests'));
    run.attempts('work', ok({ tree: 'b' })).judges('work', passes('lint'), fails('tests'));
    expect(run.input('work').scope.feedback).toMatchObject([{ check: 'tests', pass: 2 }]);
  });

  test('C9: an attempt that failed by itself is told before its checks, with its output', () => {
    const run = play(looping)
      .opens()
      .attempts('work', exited(1, { tree: 'a', output: 'the log' }));
    run.judges('work', passes('lint'), fails('tests'));
    expect(run.input('work').scope.feedback).toMatchObject([
      { summary: 'exit 1', whole: { sha256: 'the log' } },
      { check: 'tests' },
    ]);
  });

  test('C9: a reviewer sends its verdict and its answer to the step that it loops to', () => {
    const review = step('review', { work: agent, readOnly: true, after: ['work'], loop: loopTo('work') });
    const run = play(plan([step('work', { work: agent }), review]))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    const reason = 'Verdict: output did not match pass pattern /^VERDICT: APPROVE$/';
    run.attempts('review', matchFailed(reason, { output: 'the review' }));
    expect(run.input('work').scope.feedback).toMatchObject([
      { step: 'review', pass: 1, summary: reason, whole: { sha256: 'the review' } },
    ]);
    expect(run.input('work').scope.feedback[0]).not.toHaveProperty('check');
  });

  test('C9, V-25: an entry is marked stale once its source has run again', () => {
    const steps = [step('work', { work: agent }), step('test', { after: ['work'], loop: loopTo('work') })];
    const run = play(plan(steps))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .attempts('test', exited(1, { tree: 'a' }));
    expect(run.input('work').scope.feedback).toMatchObject([{ step: 'test', pass: 1, stale: false }]);
    run.attempts('work', ok({ tree: 'b' })).attempts('test', ok({ tree: 'b' }));
    const [work] = steps;
    expect(work && feedbackFor(work, run.state, run.step('work'))).toMatchObject([
      { step: 'test', pass: 1, stale: true },
    ]);
  });

  test('C9, V-21: a step that has never begun hears the base, not what sent others back, and was not re-entered', () => {
    const steps = [
      step('work', { work: agent }),
      step('test', { after: ['work'], loop: loopTo('work') }),
      step('notes', { work: agent, after: ['test'], checks: [commandCheck('links')] }),
    ];
    const run = play(plan(steps, { baseline: 'report' }))
      .opens()
      .baseline(fails('notes/links', '1 dead link'))
      .attempts('work', ok({ tree: 'a' }))
      .attempts('test', exited(1, { tree: 'a' }));
    run.attempts('work', ok({ tree: 'b' })).attempts('test', ok({ tree: 'b' }));
    expect(run.input('notes').scope).toMatchObject({ iteration: 0, feedback: [{ check: 'links', baseline: true }] });
  });

  test('C9, B11: the first pass is told what failed at the base, and no later one is', () => {
    const run = play({ ...looping, baseline: 'report' })
      .opens()
      .baseline(fails('work/tests'), passes('work/lint'));
    expect(run.input('work').scope.feedback).toMatchObject([{ check: 'tests', baseline: true, pass: 0 }]);
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('lint'), passes('tests'));
    expect(run.input('work').scope.feedback).toMatchObject([{ check: 'lint', baseline: false }]);
  });

  test('C9, B11: a later pass without findings is not told the baseline again', () => {
    const work = step('work', { work: agent, checks, loop: loopTo('work', { on: 'pass', limit: 1 }) });
    const run = play(plan([work], { baseline: 'report' }))
      .opens()
      .baseline(fails('work/tests'), passes('work/lint'));
    run.attempts('work', ok({ tree: 'a' })).judges('work', passes('lint'), passes('tests'));
    expect(run.input('work')).toMatchObject({ key: { pass: 2 }, scope: { feedback: [] } });
  });

  test('C9: a retry within the pass is told the same as the attempt before it', () => {
    const run = play(
      plan([
        step('work', {
          work: agent,
          checks,
          loop: loopTo('work'),
          retry: { on: 'notVerdict', limit: 1, everySeconds: 0, backoff: 1 },
        }),
      ]),
    );
    run
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('lint'), passes('tests'));
    const told = run.input('work').scope.feedback;
    run.attempts('work', exited(1, { tree: 'b' }));
    expect(run.input('work').key).toMatchObject({ pass: 2, attempt: 2 });
    expect(run.input('work').scope.feedback).toEqual(told);
  });
});

describe('C9: the brief', () => {
  const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, timeSeconds: 600, spendUsd: 5 };
  const briefed = play({ ...looping, limits }).opens();

  test('C9, E-08: pass n of N, the checks in plain words, the time and the money left', () => {
    expect(briefed.input('work').brief).toEqual({
      pass: 1,
      passLimit: 5,
      checks: [
        { name: 'lint', sentence: 'lint: `true` exits 0 (at most 10m).' },
        { name: 'tests', sentence: 'tests: `true` exits 0 (at most 10m).' },
      ],
      remainingSeconds: 600,
      remainingUsd: 5,
    });
    briefed
      .later(60)
      .attempts('work', ok({ tree: 'a', usd: 2 }))
      .judges('work', fails('lint'), fails('tests'));
    expect(briefed.input('work').brief).toMatchObject({
      pass: 2,
      passLimit: 5,
      remainingSeconds: 540,
      remainingUsd: 3,
    });
  });

  test('C9: N counts the passes that every loop over the step still allows', () => {
    const steps = [
      step('work', { work: agent }),
      step('test', { after: ['work'], loop: loopTo('work', { limit: 2 }) }),
      step('review', { after: ['test'], loop: loopTo('work', { limit: 2 }) }),
    ];
    expect(play(plan(steps)).opens().input('work').brief.passLimit).toBe(5);
  });

  test('C9, E8: after a retry of the run N grows by the passes that it gives', () => {
    const run = play(plan([step('work', { work: agent, loop: loopTo('work', { limit: 1 }) })])).opens();
    run.attempts('work', exited(1, { tree: 'a' })).attempts('work', exited(1, { tree: 'b' }));
    run.says({ kind: 'retry', id: 'm1' });
    expect(run.input('work').brief).toMatchObject({ pass: 3, passLimit: 4 });
  });

  test('C9: an unlimited loop has no N, a step without a loop has one pass', () => {
    const unlimited = play(plan([step('work', { work: agent, loop: loopTo('work', { limit: null }) })])).opens();
    expect(unlimited.input('work').brief.passLimit).toBeNull();
    expect(
      play(plan([step('work', { work: agent })]))
        .opens()
        .input('work').brief.passLimit,
    ).toBe(1);
  });

  test('C9: the command and the checks of a step that loops back here are told too', () => {
    const answer = {
      kind: 'match' as const,
      name: 'answer',
      of: 'work',
      pass: 'done',
      needs: 'always' as const,
      timeSeconds: 60,
    };
    const verify = step('verify', { after: ['work'], loop: loopTo('work'), checks: [answer] });
    const other = step('other', { after: ['work'], checks: [commandCheck('unrelated')] });
    const run = play(plan([step('work', { work: agent }), verify, other])).opens();
    expect(run.input('work').brief.checks.map(({ name }) => name)).toEqual(['verify', 'answer']);
  });
});
