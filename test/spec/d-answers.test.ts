import { describe, expect, test } from 'vitest';

import type { PersonPlan } from '#core/plan/plan.ts';
import type { Decision } from '#core/task/question.ts';

import { loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { exited, ok } from './outcomes.ts';
import { play, type Play } from './play.ts';

const form = { type: 'object', properties: { risk: { type: 'string' }, count: { type: 'integer' } } };
const pushBackForm = { type: 'object', properties: { section: { type: 'string' } }, required: ['section'] };
const filled: Partial<Decision> = { comment: 'Fine by me.', form: { risk: 'low', count: 3 } };

/** An agent works, somebody is asked, and a command publishes what they agreed to. */
function asked(person: Partial<PersonPlan> = {}): Play {
  const steps = [
    step('write', { work: scriptedAgent(['true']) }),
    step('approve', { work: personWork({ form, ...person }), after: ['write'], loop: loopTo('write') }),
    step('publish', { after: ['approve'] }),
  ];
  return play(plan(steps))
    .opens()
    .attempts('write', ok({ tree: 'a' }))
    .asks('approve');
}

describe('V-22, D-09: what people answer reaches later steps by name', () => {
  test('D-08: the fields of the form, the comment and who decided', () => {
    const run = asked().answersTask('approve', 'ann', 'approve', filled);
    expect(run.input('publish').scope.answers).toEqual({
      'approve.outputs.comment': 'Fine by me.',
      'approve.outputs.decidedBy': 'ann',
      'approve.outputs.risk': 'low',
      'approve.outputs.count': '3',
    });
  });

  test('D2: nobody names somebody else in a form as who decided', () => {
    const run = asked().answersTask('approve', 'ann', 'approve', { comment: 'ok', form: { decidedBy: 'the boss' } });
    expect(run.input('publish').scope.answers).toMatchObject({ 'approve.outputs.decidedBy': 'ann' });
  });

  test('D2: of a quorum everyone who agreed is named, and nothing before all have', () => {
    const run = asked({ quorum: 2 }).answersTask('approve', 'ann', 'approve');
    expect(run.step('approve').task?.status).toBe('open');
    run.answersTask('approve', 'bob', 'approve', filled);
    expect(run.input('publish').scope.answers).toMatchObject({ 'approve.outputs.decidedBy': 'ann, bob' });
  });

  test('V-22: a loop that asks again clears the comment, who decided and the fields; the whole answer stays', () => {
    const run = asked().answersTask('approve', 'ann', 'reject', filled);
    const { scope } = run.input('write');
    expect(scope.answers).toBeUndefined();
    expect(scope.outputs['approve']).toMatchObject({ sha256: 'ann-reject' });
  });

  test('D-09: a push back reaches the agent as feedback, its form with it, and the task opens again', () => {
    const run = asked({ pushBackForm }).answersTask('approve', 'ann', 'push_back', {
      comment: 'Shorter.',
      form: { section: 'intro' },
    });
    expect(run.input('write').scope.feedback).toMatchObject([{ step: 'approve', by: 'ann', summary: 'Shorter.' }]);
    run.attempts('write', ok({ tree: 'b' })).asks('approve');
    expect(run.step('approve').task).toMatchObject({ revision: 2, status: 'open' });
  });

  test('D-10: both forms are frozen with the question', () => {
    expect(asked({ pushBackForm }).step('approve').task?.question).toMatchObject({ form, pushBackForm });
  });
});

describe('D-20, D-22: loops nest, and checks stack', () => {
  test('D-20: a push back starts the loop within it again, with a fresh budget', () => {
    const steps = [
      step('fix', { loop: loopTo('fix', { limit: 1 }) }),
      step('approve', { work: personWork(), after: ['fix'], loop: loopTo('fix') }),
    ];
    const run = play(plan(steps)).opens();
    run.attempts('fix', exited(1, { tree: 'a' })).attempts('fix', ok({ tree: 'b' }));
    run.asks('approve').answersTask('approve', 'ann', 'push_back', { comment: 'More.' });
    expect(run.step('fix')).toMatchObject({ pass: 3, loops: 0 });
    run.attempts('fix', exited(1, { tree: 'c' }));
    expect(run.underWay).toEqual(['attempt fix#4.1']);
  });

  test('D-22: each judge sees only work that the one before it passed: command, reviewer, person', () => {
    const steps = [
      step('work', { work: scriptedAgent(['true']) }),
      step('test', { after: ['work'], loop: loopTo('work') }),
      step('review', { after: ['test'], readOnly: true, loop: loopTo('work') }),
      step('approve', { work: personWork(), after: ['review'], loop: loopTo('work') }),
    ];
    const run = play(plan(steps))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .attempts('test', exited(1));
    expect(run.underWay).toEqual(['attempt work#2.1']);
    run
      .attempts('work', ok({ tree: 'b' }))
      .attempts('test', ok({ tree: 'b' }))
      .attempts('review', exited(1));
    expect(run.all('task.opened')).toEqual([]);
    run
      .attempts('work', ok({ tree: 'c' }))
      .attempts('test', ok({ tree: 'c' }))
      .attempts('review', ok())
      .asks('approve');
    expect(run.last('task.opened').tree).toBe('c');
  });
});
