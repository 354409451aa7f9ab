import { describe, expect, test } from 'vitest';

import type { PersonPlan, StepPlan } from '#core/plan/plan.ts';
import { summarise } from '#core/run/summarise.ts';

import { loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { ok } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const nobody = { kind: 'cancel' as const, id: 'm1', reason: 'Not needed any more.' };

/** An agent works, then somebody is asked. */
function asked(work: Partial<PersonPlan> = {}, change: Partial<StepPlan> = {}): Play {
  const steps = [
    step('implement', { work: agent }),
    step('approve', { work: personWork(work), after: ['implement'], ...change }),
  ];
  return play(plan(steps))
    .opens()
    .attempts('implement', ok({ tree: 'a' }))
    .asks('approve');
}

const standing = (run: Play) => summarise(run.plan, run.state, run.events.length);

describe('D1: a question is frozen when it opens, and holds nothing while it waits', () => {
  test('D1: what is asked, who may answer, and the commit shown do not change any more', () => {
    const run = asked({ who: ['team:web'], quorum: 2, form: { type: 'object' } }, { loop: loopTo('implement') });
    expect(run.step('approve').task).toMatchObject({
      id: 'task_1.approve',
      revision: 1,
      status: 'open',
      question: {
        ask: { text: 'Is it good?' },
        who: ['team:web'],
        quorum: 2,
        form: { type: 'object' },
        commit: 'commit-a',
        tree: 'a',
        backTo: ['implement'],
      },
    });
    expect(run.underWay).toEqual([]);
  });

  test('D1: other branches go on while somebody is waited for', () => {
    const steps = [
      step('approve', { work: personWork() }),
      step('docs'),
      step('publish', { after: ['approve', 'docs'] }),
    ];
    const run = play(plan(steps)).opens().asks('approve');
    expect(run.underWay).toEqual(['attempt docs#1.1']);
    run.attempts('docs', ok({ tree: 'd' }));
    expect(run.underWay).toEqual([]);
    expect(run.answersTask('approve', 'ann', 'approve').underWay).toEqual(['attempt publish#1.1']);
  });

  test('D1: two open questions in parallel branches are independent', () => {
    const run = play(plan([step('left', { work: personWork() }), step('right', { work: personWork() })]))
      .opens()
      .asks('left')
      .asks('right');
    run.answersTask('left', 'ann', 'approve');
    expect(run.step('left').outcome).toBe('succeeded');
    expect(run.step('right').task?.status).toBe('open');
    expect(run.answersTask('right', 'bob', 'reject').stop?.kind).toBe('rejected');
  });

  test('D1: what could not be rendered stops the run and says why', () => {
    const run = play(plan([step('approve', { work: personWork() })]))
      .opens()
      .faults('approve', 'template/unresolved', 'There is no output "x".');
    expect(run.stop).toMatchObject({ kind: 'failed_to_start', code: 'template/unresolved' });
  });
});

describe('D2: the first decision wins', () => {
  test('D2: the same answer again is the same, a different one conflicts', () => {
    const run = asked();
    const again = run.decision('approve', 'ann', 'approve');
    const other = run.decision('approve', 'bob', 'reject');
    run.says(again);
    expect(run.answers({ ...again, id: 'another id' })).toEqual({ kind: 'applied' });
    expect(run.answers(other)).toMatchObject({ kind: 'refused', code: 'task/decided' });
    const before = run.events.length;
    run.says({ ...again, id: 'another id' });
    expect(run.events).toHaveLength(before);
  });

  test('D2: a person who changes their mind is told that they have answered', () => {
    const run = asked({ quorum: 2 }).answersTask('approve', 'ann', 'approve');
    const change = run.decision('approve', 'ann', 'reject', { comment: 'no' });
    expect(run.answers(change)).toMatchObject({ kind: 'refused', code: 'task/already-answered' });
  });

  test('D2: a question that nobody asked is not found', () => {
    const run = asked();
    const lost = { ...run.decision('approve', 'ann', 'approve'), task: 'task_1.other' };
    expect(run.answers(lost)).toMatchObject({ kind: 'refused', code: 'task/not-found' });
  });

  test('D2: a quorum counts different people, and one rejection decides', () => {
    const run = asked({ quorum: 2 }).answersTask('approve', 'ann', 'approve');
    expect(run.step('approve').phase).toBe('asking');
    run.answersTask('approve', 'bob', 'approve');
    expect(run.step('approve')).toMatchObject({ outcome: 'succeeded', reason: 'Approved by ann, bob.' });
    expect(
      asked({ quorum: 2 }).answersTask('approve', 'ann', 'approve').answersTask('approve', 'bob', 'reject').stop,
    ).toMatchObject({ kind: 'rejected' });
  });

  test('D2: a question whose run ends closes, and is refused with the reason', () => {
    const run = asked();
    const late = run.decision('approve', 'ann', 'approve');
    run.says(nobody);
    expect(run.last('task.closed').reason).toBe('The run is ending.');
    expect(run.answers(late)).toMatchObject({ kind: 'refused', code: 'task/closed' });
  });

  test('D2, C4: a decision that comes with what ended its pass does not count for the next one', () => {
    const run = asked();
    const late = run.decision('approve', 'ann', 'approve');
    // Two messages in one task of the workflow: the law was not asked in between.
    const pushed = run.unasked({ kind: 'pushBack', id: 'm1', step: 'implement', remark: remark('again') });
    expect(pushed.answers(late)).toMatchObject({ kind: 'refused', code: 'task/closed' });
  });
});

function remark(comment: string) {
  return { by: 'ann', comment, text: { sha256: comment, bytes: 1, excerpt: comment } };
}

describe('D3: a push back is a loop back whose limit is the person', () => {
  test('D3, C1: it may happen without end, each time with who and what reaching the prompt', () => {
    const run = asked({}, { loop: loopTo('implement', { limit: 1 }) });
    for (let round = 1; round <= 12; round += 1) {
      run.answersTask('approve', 'ann', 'push_back', { comment: `word ${round}` });
      expect(run.input('implement').scope.feedback).toMatchObject([
        { step: 'approve', by: 'ann', summary: `word ${round}`, pass: round },
      ]);
      run.attempts('implement', ok({ tree: `t${round}` })).asks('approve');
      expect(run.step('approve').task).toMatchObject({ status: 'open', revision: round + 1 });
    }
    expect(run.step('approve')).toMatchObject({ pushBacks: 12, loops: 0 });
    expect(run.last('loop.fired')).toMatchObject({
      pushBack: true,
      limit: null,
      message: '↺ ann pushed back "approve": looping back to "implement"',
    });
  });

  test('D3: one that the plan limits is refused beyond it, and a raise gives more', () => {
    const run = asked({ pushBackLimit: 1 }, { loop: loopTo('implement') });
    run
      .answersTask('approve', 'ann', 'push_back')
      .attempts('implement', ok({ tree: 'b' }))
      .asks('approve');
    const more = run.decision('approve', 'ann', 'push_back');
    expect(run.answers(more)).toMatchObject({ kind: 'refused', code: 'task/push-backs-spent' });
    run.says({ kind: 'raise', id: 'm1', limits: { passes: 6 } });
    expect(run.answers(more)).toEqual({ kind: 'applied' });
  });

  test('D3: a limit of push backs is raised where nothing loops by itself, too', () => {
    const run = asked({ pushBackLimit: 0 });
    const back = run.decision('approve', 'ann', 'push_back', { to: 'implement' });
    expect(run.answers(back)).toMatchObject({ kind: 'refused', message: expect.stringContaining('--passes 2') });
    expect(run.says({ kind: 'raise', id: 'm1', limits: { passes: 2 } }).answers(back)).toEqual({ kind: 'applied' });
  });

  test('D3, E8: a retry of the run gives push backs anew', () => {
    const run = asked({ pushBackLimit: 1 }, { loop: loopTo('implement') });
    run.answersTask('approve', 'ann', 'push_back').says(nobody).endsCancelled('implement');
    run
      .says({ kind: 'retry', id: 'm2' })
      .attempts('implement', ok({ tree: 'c' }))
      .asks('approve');
    expect(run.answers(run.decision('approve', 'ann', 'push_back'))).toEqual({ kind: 'applied' });
  });

  test('D3, D-09: it goes to the step that the person names, if that is before the question', () => {
    const steps = [
      step('plan'),
      step('build', { after: ['plan'] }),
      step('approve', { work: personWork(), after: ['build'] }),
    ];
    const run = play(plan(steps))
      .opens()
      .attempts('plan', ok({ tree: 'p' }))
      .attempts('build', ok({ tree: 'b' }))
      .asks('approve');
    const nowhere = run.decision('approve', 'ann', 'push_back');
    expect(run.answers(nowhere)).toMatchObject({
      kind: 'refused',
      code: 'task/no-way-back',
      message: expect.stringContaining('Name one of: build, plan (--to STEP).'),
    });
    run.answersTask('approve', 'ann', 'push_back', { to: 'build' });
    expect(run.underWay).toEqual(['attempt build#2.1']);
    expect(run.step('plan').pass).toBe(1);
  });

  test('D3, D-20: the loops within what was sent back begin with fresh budgets, one of the plan’s own does not', () => {
    const inner = step('test', { after: ['implement'], loop: loopTo('implement', { limit: 1 }) });
    const steps = [
      step('implement'),
      inner,
      step('approve', { work: personWork(), after: ['test'], loop: loopTo('implement') }),
    ];
    const run = play(plan(steps)).opens();
    const failOnce = (tree: string) =>
      run
        .attempts('implement', ok({ tree }))
        .attempts('test', { ...ok(), end: { kind: 'failed', reason: 'exit 1' } })
        .attempts('implement', ok({ tree: `${tree}+` }))
        .attempts('test', ok());
    failOnce('a').asks('approve');
    expect(run.step('test').loops).toBe(1);
    run.answersTask('approve', 'ann', 'push_back');
    expect(run.step('test').loops).toBe(0);
    failOnce('b').asks('approve').answersTask('approve', 'ann', 'approve');
    expect(run.stop?.kind).toBe('succeeded');
  });
});

describe('D4: a rejection', () => {
  test('D4, C2: with a loop it goes back with the comment, as often as the loop allows', () => {
    const run = asked({}, { loop: loopTo('implement', { limit: 1 }) });
    run.answersTask('approve', 'ann', 'reject', { comment: 'too slow' });
    expect(run.last('loop.fired')).toMatchObject({ count: 1, limit: 1, to: 'implement' });
    expect(run.input('implement').scope.feedback).toMatchObject([{ by: 'ann', summary: 'too slow' }]);
    run
      .attempts('implement', ok({ tree: 'b' }))
      .asks('approve')
      .answersTask('approve', 'ann', 'reject');
    expect(run.stop).toMatchObject({
      kind: 'rejected',
      reason: 'Step "approve" failed: Rejected by ann. (feedback loop limit of 1 reached)',
    });
  });

  test('D4: without a loop the run is rejected, unless the plan goes on all the same', () => {
    expect(asked().answersTask('approve', 'ann', 'reject', { comment: 'no' }).stop).toMatchObject({
      kind: 'rejected',
      reason: 'Step "approve" failed: Rejected by ann: no',
    });
    const run = asked({}, { continueOnError: true }).answersTask('approve', 'ann', 'reject');
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('D4, V-22: the loop clears the answer, the output keeps the comment for templates', () => {
    const run = asked({}, { loop: loopTo('implement') });
    run.answersTask('approve', 'ann', 'reject', { comment: 'too slow' });
    expect(run.input('implement').scope.outputs['approve']?.excerpt).toBe('too slow');
    run.attempts('implement', ok({ tree: 'b' })).asks('approve');
    expect(run.step('approve').task?.decisions).toEqual([]);
  });

  test('C2, V-23: rejections and the failures of another step are counted apart', () => {
    const steps = [
      step('implement'),
      step('test', { after: ['implement'], loop: loopTo('implement', { limit: 1 }) }),
      step('approve', { work: personWork(), after: ['test'], loop: loopTo('implement', { limit: 1 }) }),
    ];
    const run = play(plan(steps)).opens();
    run
      .attempts('implement', ok({ tree: 'a' }))
      .attempts('test', { ...ok(), end: { kind: 'failed', reason: 'exit 1' } });
    run
      .attempts('implement', ok({ tree: 'b' }))
      .attempts('test', ok())
      .asks('approve');
    run.answersTask('approve', 'ann', 'reject');
    expect(run.step('test').loops).toBe(1);
    run
      .attempts('implement', ok({ tree: 'c' }))
      .attempts('test', { ...ok(), end: { kind: 'failed', reason: 'exit 1' } });
    expect(run.stop?.kind).toBe('exhausted');
  });
});

describe('D5: time limits of a question', () => {
  const hours = (count: number) => count * 3600;

  test('D5: without any it waits for ever', () => {
    expect(asked().wakesInSeconds).toBeUndefined();
  });

  test('D5, R045: expiry fails or skips as the plan says, and is never a rejection', () => {
    const failing = asked({ time: { limitSeconds: hours(8), onExpiry: 'fail' } }, { loop: loopTo('implement') });
    expect(failing.wakesInSeconds).toBe(hours(8));
    failing.waits(hours(8));
    expect(failing.all('loop.fired')).toEqual([]);
    expect(failing.stop).toMatchObject({
      kind: 'timed_out',
      reason: 'Step "approve" failed: Nobody decided within 8h.',
    });
    const skipping = asked({ time: { limitSeconds: hours(8), onExpiry: 'skip' } }).waits(hours(8));
    expect(skipping.step('approve').outcome).toBe('skipped');
    expect(skipping.stop?.kind).toBe('succeeded');
  });

  test('D5: expired, it is closed for a late answer', () => {
    const run = asked({ time: { limitSeconds: 60, onExpiry: 'skip' } });
    const late = run.decision('approve', 'ann', 'approve');
    expect(run.waits(60).answers(late)).toMatchObject({ kind: 'refused', code: 'task/closed' });
  });

  test('D5: reminders come each time so long has passed; what fell due while nobody could send it is one', () => {
    const run = asked({ remindSeconds: hours(1) });
    run.waits(hours(1)).waits(hours(1));
    expect(run.all('task.reminded').map(({ count }) => count)).toEqual([1, 2]);
    run.waits(hours(300));
    expect(run.all('task.reminded').map(({ count }) => count)).toEqual([1, 2, 302]);
    expect(run.wakesInSeconds).toBe(hours(1));
  });

  test('D5, S-06: an escalation asks more people, once, and leaves the question open', () => {
    const run = asked({ who: ['ann'], escalate: { to: ['team:leads'], afterSeconds: hours(2) } }).waits(hours(2));
    expect(run.last('task.escalated').to).toEqual(['team:leads']);
    expect(run.step('approve').task).toMatchObject({
      status: 'open',
      escalated: true,
      question: { who: ['ann', 'team:leads'] },
    });
    expect(run.wakesInSeconds).toBeUndefined();
    const open = asked({ escalate: { to: ['team:leads'] }, time: { limitSeconds: 60, onExpiry: 'escalate' } }).waits(
      60,
    );
    expect(open.step('approve').task).toMatchObject({ status: 'open', question: { who: [] } });
  });

  test('D5, E3: a person’s pause of the run stops no time of a question that was asked', () => {
    const run = asked({ time: { limitSeconds: 60, onExpiry: 'skip' } }).says({ kind: 'pause', id: 'm1', by: 'ann' });
    expect(run.wakesInSeconds).toBe(60);
    expect(run.waits(60).step('approve').outcome).toBe('skipped');
    expect(run.paused?.code).toBe('person');
  });
});

test('D6: a decision on an older revision is refused: what was shown has changed since', () => {
  const run = asked({}, { loop: loopTo('implement') });
  const stale = run.decision('approve', 'bob', 'approve');
  run
    .answersTask('approve', 'ann', 'push_back')
    .attempts('implement', ok({ tree: 'b' }))
    .asks('approve');
  expect(run.step('approve').task?.question.tree).toBe('b');
  expect(run.answers(stale)).toMatchObject({ kind: 'refused', code: 'task/reopened' });
});

test('E2, E10, R045: a run that waits for a person says for what and how to clear it, and spends no active time', () => {
  const run = asked().later(86_400).waits(1);
  expect(standing(run)).toMatchObject({
    status: 'waiting',
    why: 'It waits for a person: Is it good?',
    remedy: 'setpoint approve task_1.approve',
    task: 'task_1.approve',
  });
  expect(run.state.activeMs).toBe(0);
});

describe('decision 8, decision 13: a question outlives its seat', () => {
  test('decision 13: another seat finds it open, and asks nothing again', () => {
    const run = asked().reseats();
    expect(run.underWay).toEqual([]);
    expect(run.answersTask('approve', 'ann', 'approve').stop?.kind).toBe('succeeded');
  });

  test('decision 13: one that was being rendered is rendered again under the same revision', () => {
    const run = play(plan([step('approve', { work: personWork() })]))
      .opens()
      .reseats();
    expect(run.underWay).toEqual(['ask approve#1']);
    expect(run.asks('approve').step('approve').task?.revision).toBe(1);
  });
});
