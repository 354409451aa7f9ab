import { describe, expect, test } from 'vitest';

import type { LimitsPlan, OnExhausted } from '#core/plan/plan.ts';
import { summarise } from '#core/run/summarise.ts';
import { limitsStep } from '#core/task/task.ts';

import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { exited, fails, ok } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const tests = commandCheck('tests');
const standing = (run: Play) => summarise(run.plan, run.state, run.events.length);

/** Its one pass of two is over, and the checks fail. */
function outOfPasses(onExhausted: OnExhausted): Play {
  const looping = step('work', { work: agent, checks: [tests], loop: loopTo('work', { limit: 1, onExhausted }) });
  return play(plan([looping]))
    .opens()
    .attempts('work', ok({ tree: 'a' }))
    .judges('work', fails('tests', 'one'))
    .attempts('work', ok({ tree: 'b' }))
    .judges('work', fails('tests', 'two'));
}

function limited(limits: Partial<LimitsPlan>): Play {
  const looping = step('work', { work: agent, checks: [tests], loop: loopTo('work', { limit: 9 }) });
  const all = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, ...limits };
  return play(plan([looping], { limits: all })).opens();
}

describe('C7 `ask`: a person says whether it goes on', () => {
  test('C7, D1: the question shows what the last pass gave and what its checks found, and holds nothing', () => {
    const run = outOfPasses('ask');
    expect(run.underWay).toEqual([]);
    expect(run.state.question).toMatchObject({
      id: 'task_1.limits',
      revision: 1,
      status: 'open',
      question: { tree: 'b', shown: [{ name: 'output of work' }], backTo: ['work'] },
    });
    expect(run.state.question?.question.ask.text).toBe(
      'Step "work": tests: two (feedback loop limit of 1 reached) Shall it go on, with as much again?',
    );
    expect(standing(run)).toMatchObject({ status: 'waiting', remedy: 'setpoint approve task_1.limits' });
  });

  test('C7: approved, it has as many passes again, from where it stands', () => {
    const run = outOfPasses('ask').answersTask(limitsStep, 'ann', 'approve');
    expect(run.underWay).toEqual(['attempt work#3.1']);
    expect(run.last('run.raised')).toMatchObject({ by: 'ann', limits: { passes: 3, step: 'work' } });
    run.attempts('work', ok({ tree: 'c' })).judges('work', fails('tests', 'three'));
    expect(run.state.question).toMatchObject({ revision: 2, status: 'open' });
  });

  test('C7, E3: of a limit that an edit lowered below what is used, approving grants enough to go on', () => {
    const run = outOfPasses('ask');
    const [work] = run.plan.steps;
    const loop = loopTo('work', { limit: 0, onExhausted: 'ask' });
    run.says({ kind: 'edit', id: 'm1', plan: { ...run.plan, steps: work === undefined ? [] : [{ ...work, loop }] } });
    const refusal = run.answers({ kind: 'resume', id: 'm2' });
    expect(refusal.kind === 'refused' && refusal.message).toContain('--passes 3');
    run.answersTask(limitsStep, 'ann', 'approve');
    expect(run.events.filter(({ type }) => type === 'run.raised')).toHaveLength(1);
    expect(run.underWay).toEqual(['attempt work#3.1']);
  });

  test('C7: a push back gives as much again, with a word to the next pass beside what was found', () => {
    const run = outOfPasses('ask').answersTask(limitsStep, 'ann', 'push_back', { comment: 'use the cache' });
    expect(run.input('work').scope.feedback.map(({ by, summary }) => by ?? summary)).toEqual(['two', 'ann']);
  });

  test('C7: rejected, it ends as that limit, and says who decided', () => {
    const run = outOfPasses('ask').answersTask(limitsStep, 'ann', 'reject', { comment: 'enough' });
    expect(run.stop).toMatchObject({
      kind: 'exhausted',
      reason: expect.stringContaining('ann decided not to go on: enough'),
    });
    const late = limited({ timeSeconds: 60, onTime: 'ask' }).waits(60);
    expect(late.answersTask(limitsStep, 'ann', 'reject').endsCancelled('work').stop?.kind).toBe('timed_out');
    const dear = limited({ spendUsd: 1, onSpend: 'ask' }).attempts('work', ok({ tree: 'a', usd: 1 }));
    dear.judges('work', fails('tests')).answersTask(limitsStep, 'ann', 'reject');
    expect(dear.stop?.kind).toBe('over_budget');
  });

  test('C7, E10: time is asked about while the attempt goes on, and approving grants as much again from now', () => {
    const run = limited({ timeSeconds: 60, onTime: 'ask' }).waits(60);
    expect(run.underWay).toEqual(['attempt work#1.1']);
    run.later(30).answersTask(limitsStep, 'ann', 'approve');
    expect(run.last('run.raised').limits).toEqual({ timeSeconds: 150 });
    expect(run.paused).toBeNull();
    expect(run.wakesInSeconds).toBe(60);
  });

  test('C7: the deadline is granted with the time, so that the same question does not come at once', () => {
    const run = limited({ timeSeconds: 600, deadlineSeconds: 60, onTime: 'ask' }).waits(60);
    run.later(1000).answersTask(limitsStep, 'ann', 'approve');
    expect(run.paused).toBeNull();
    expect(run.state.question?.status).toBe('decided');
  });

  test('C7, D3: a word with more money reaches the pass that was about to begin', () => {
    const run = limited({ spendUsd: 1, onSpend: 'ask' })
      .attempts('work', ok({ tree: 'a', usd: 1 }))
      .judges('work', fails('tests', 'one'));
    expect(run.underWay).toEqual([]);
    run.answersTask(limitsStep, 'ann', 'push_back', { comment: 'use the small model' });
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.last('run.raised').limits).toEqual({ spendUsd: 2 });
    expect(run.input('work').scope.feedback.map(({ summary }) => summary)).toEqual(['one', 'use the small model']);
  });

  test('C7, D3: a word with more time reaches the pass after the one that runs', () => {
    const run = limited({ timeSeconds: 60, onTime: 'ask' }).waits(60);
    run.answersTask(limitsStep, 'ann', 'push_back', { comment: 'hurry' });
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests', 'one'));
    expect(run.input('work').scope.feedback.map(({ summary }) => summary)).toEqual(['one', 'hurry']);
  });

  test('C7, D4: rejections of a person that are used up can be asked about, too', () => {
    const steps = [
      step('work', { work: agent }),
      step('approve', {
        work: personWork(),
        after: ['work'],
        loop: loopTo('work', { limit: 0, onExhausted: 'ask' }),
      }),
    ];
    const run = play(plan(steps))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .asks('approve')
      .answersTask('approve', 'ann', 'reject', { comment: 'too slow' })
      .answersTask(limitsStep, 'bob', 'push_back', { comment: 'once more' });
    expect(run.input('work').scope.feedback.map(({ by }) => by)).toEqual(['ann', 'bob']);
  });

  test('C7, D2: the question closes once a raise has answered it', () => {
    const run = outOfPasses('ask').says({ kind: 'raise', id: 'm1', limits: { passes: 5 } });
    expect(run.last('task.closed')).toMatchObject({ step: limitsStep, reason: 'The run goes on.' });
    expect(run.underWay).toEqual(['attempt work#3.1']);
    const late = run.decision(limitsStep, 'ann', 'approve');
    expect(run.answers(late)).toMatchObject({ kind: 'refused', code: 'task/closed' });
  });

  test('C7, E2: another open question does not hide the one that lets the run go on', () => {
    const steps = [
      step('approve', { work: personWork() }),
      step('work', { work: agent, loop: loopTo('work', { limit: 0, onExhausted: 'ask' }) }),
    ];
    const run = play(plan(steps))
      .opens()
      .asks('approve')
      .later(5)
      .attempts('work', exited(1, { tree: 'a' }));
    expect(standing(run)).toMatchObject({ status: 'waiting', task: 'task_1.limits' });
  });
});

describe('C7 `pause`: a raised limit lets it go on', () => {
  test('C7, E3, E-09: resume is refused while the cause holds, and names the remedy; a raise resumes', () => {
    const run = outOfPasses('pause');
    expect(standing(run)).toMatchObject({ status: 'paused', remedy: 'setpoint raise run_1 --passes 3' });
    expect(run.answers({ kind: 'resume', id: 'm1' })).toMatchObject({
      kind: 'refused',
      code: 'run/cause-holds',
      message: expect.stringContaining('setpoint raise run_1 --passes 3'),
    });
    expect(run.says({ kind: 'raise', id: 'm2', limits: { passes: 3 } }).underWay).toEqual(['attempt work#3.1']);
  });

  test('C7: time and money the same', () => {
    const time = limited({ timeSeconds: 60, onTime: 'pause' }).waits(60);
    expect(time.answers({ kind: 'resume', id: 'm1' })).toMatchObject({ kind: 'refused', code: 'run/cause-holds' });
    expect(time.says({ kind: 'raise', id: 'm2', limits: { timeSeconds: 120 } }).paused).toBeNull();
    const money = limited({ spendUsd: 1, onSpend: 'pause' })
      .attempts('work', ok({ tree: 'a', usd: 1 }))
      .judges('work', fails('tests'));
    expect(money.answers({ kind: 'resume', id: 'm1' })).toMatchObject({ kind: 'refused', code: 'run/cause-holds' });
    expect(money.says({ kind: 'raise', id: 'm2', limits: { spendUsd: 2 } }).underWay).toEqual(['attempt work#2.1']);
  });

  test('C7: a raise of another limit clears nothing', () => {
    const run = limited({ timeSeconds: 60, spendUsd: 5, onTime: 'pause' }).waits(60);
    expect(run.says({ kind: 'raise', id: 'm1', limits: { spendUsd: 9 } }).paused?.code).toBe('timed_out');
  });

  test('C7, E3: an edit that gives more lets it be resumed', () => {
    const run = outOfPasses('pause');
    const steps = run.plan.steps.map((each) => ({ ...each, loop: loopTo('work', { limit: 7 }) }));
    run.says({ kind: 'edit', id: 'm1', plan: { ...run.plan, steps } });
    expect(run.paused?.code).toBe('exhausted');
    expect(run.says({ kind: 'resume', id: 'm2' }).underWay).toEqual(['attempt work#3.1']);
  });
});
