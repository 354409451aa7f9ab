import { describe, expect, test } from 'vitest';

import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { editIssues } from '#core/plan/edit.ts';
import { fold } from '#core/run/apply.ts';
import { summarise } from '#core/run/summarise.ts';

import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { cannotRun, exited, fails, ok, passes } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const tests = commandCheck('tests');
const lint = commandCheck('lint');
const pause = { kind: 'pause' as const, id: 'pause', by: 'ann' };
const resume = { kind: 'resume' as const, id: 'resume', by: 'ann' };
const word = { by: 'ann', comment: 'again', text: { sha256: 'again', bytes: 1, excerpt: 'again' } };
const standing = (run: Play) => summarise(run.plan, run.state, run.events.length);

const looping = (change: Partial<StepPlan> = {}) =>
  step('work', { work: agent, checks: [tests], loop: loopTo('work'), ...change });
const working = (change: Partial<StepPlan> = {}, also: Partial<Plan> = {}) =>
  play(plan([looping(change)], also)).opens();

function changed(before: Plan, change: Partial<StepPlan>): Plan {
  return { ...before, steps: before.steps.map((each) => ({ ...each, ...change })) };
}

describe('E3: pause', () => {
  test('E3, E-15: what is under way ends and is judged; the next pass does not begin; resume goes on there', () => {
    const run = working().says(pause);
    expect(standing(run)).toMatchObject({
      status: 'paused',
      why: 'Paused by ann. What is under way ends first.',
      remedy: 'setpoint resume run_1',
    });
    run.attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    run.judges('work', fails('tests'));
    expect(run.underWay).toEqual([]);
    expect(run.step('work').pass).toBe(2);
    expect(run.says(resume).underWay).toEqual(['attempt work#2.1']);
  });

  test('E3, E-15: at once when nothing runs, and before the workspace is there', () => {
    const run = play(plan([looping()])).says(pause);
    run.opens();
    expect(run.underWay).toEqual([]);
    expect(run.says(resume).underWay).toEqual(['attempt work#1.1']);
  });

  test('E3: nothing is delivered while it is paused', () => {
    const run = working({}, { deliver: { mode: 'branch' } })
      .says(pause)
      .attempts('work', ok({ tree: 'a' }));
    run.judges('work', passes('tests'));
    expect(run.underWay).toEqual([]);
    expect(run.says(resume).underWay).toEqual(['@deliver']);
  });

  test('E3, E-19: what a person paused stays paused: a pause of the law’s own comes once they resume', () => {
    const run = working({ loop: loopTo('work', { limit: 0, onExhausted: 'pause' }) }).says(pause);
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests'));
    expect(run.paused?.code).toBe('person');
    run.says({ kind: 'raise', id: 'm1', limits: { passes: 5 } });
    expect(run.paused?.code).toBe('person');
    expect(run.says(resume).underWay).toEqual(['attempt work#2.1']);
    const broken = working()
      .says(pause)
      .attempts('work', ok({ tree: 'a' }));
    broken.judges('work', cannotRun('tests')).judges('work', cannotRun('tests')).judges('work', cannotRun('tests'));
    expect(broken.paused?.code).toBe('person');
    expect(broken.says(resume).underWay).toEqual(['judge work#1 (tests)']);
  });

  test('E3, C7: money is not asked for while nothing may begin', () => {
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, spendUsd: 1 };
    const run = working({}, { limits })
      .says(pause)
      .attempts('work', ok({ tree: 'a', usd: 2 }));
    run.judges('work', fails('tests'));
    expect(run.stop).toBeNull();
    run.says({ kind: 'raise', id: 'm1', limits: { spendUsd: 9 } }).says(resume);
    expect(run.underWay).toEqual(['attempt work#2.1']);
  });

  test('E3, C1: the time limit still ends what runs on', () => {
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, timeSeconds: 60 };
    const run = working({}, { limits }).says(pause);
    expect(run.wakesInSeconds).toBe(60);
    expect(run.waits(60).endsCancelled('work').stop?.kind).toBe('timed_out');
  });

  test('E3: refused when it is paused already, and when it has ended', () => {
    const run = working().says(pause);
    expect(run.answers({ ...pause, id: 'm2' })).toMatchObject({ kind: 'refused', code: 'run/already-paused' });
    run.says({ kind: 'cancel', id: 'm3', reason: 'x' });
    expect(run.answers({ ...pause, id: 'm4' })).toMatchObject({ kind: 'refused', code: 'run/ended' });
    expect(run.answers({ kind: 'raise', id: 'm5', limits: { passes: 9 } })).toMatchObject({ code: 'run/ended' });
    expect(run.endsCancelled('work').answers({ ...resume, id: 'm6' })).toMatchObject({
      kind: 'refused',
      message: 'The run has ended (cancelled). Go on with it by: setpoint retry run_1',
    });
  });

  test('E3: resume of a run that is not paused is refused, and names a source that is off', () => {
    expect(working().answers(resume)).toMatchObject({ kind: 'refused', code: 'run/not-paused' });
    const run = working().says({ kind: 'hold', id: 'm1', source: 'nightly' });
    expect(run.answers(resume)).toMatchObject({ message: expect.stringContaining('setpoint source on nightly') });
  });
});

describe('E3: edit', () => {
  test('E3, E-17: a running attempt keeps its brief and its checks, the next pass has the new ones', () => {
    const run = working();
    const edited = changed(run.plan, { work: scriptedAgent(['true'], 'Do it well.'), checks: [tests, lint] });
    run.says({ kind: 'edit', id: 'm1', by: 'ann', plan: edited });
    expect(run.last('run.edited').revision).toBe(2);
    run.attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    run.judges('work', fails('tests'));
    expect(run.input('work').step.work).toMatchObject({ prompt: 'Do it well.' });
    run.attempts('work', ok({ tree: 'b' }));
    expect(run.underWay).toEqual(['judge work#2 (tests, lint)']);
  });

  test('E3: whether there is a next pass is for the new plan to say', () => {
    const run = working().says({
      kind: 'edit',
      id: 'm1',
      plan: changed(working().plan, { loop: loopTo('work', { limit: 0 }) }),
    });
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests'));
    expect(run.stop?.kind).toBe('exhausted');
  });

  test('E3: a step that has succeeded is not judged by checks that came later', () => {
    const run = play(plan([looping(), step('after', { after: ['work'], work: agent })])).opens();
    run.attempts('work', ok({ tree: 'a' })).judges('work', passes('tests'));
    const steps = run.plan.steps.map((each) => (each.id === 'work' ? { ...each, checks: [tests, lint] } : each));
    run.says({ kind: 'edit', id: 'm1', plan: { ...run.plan, steps } }).attempts('after', ok({ tree: 'a' }));
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('E3: a question that is being asked keeps who may answer it; the next one asks by the new plan', () => {
    const run = play(
      plan([step('work'), step('approve', { after: ['work'], work: personWork(), loop: loopTo('work') })]),
    ).opens();
    run.attempts('work', ok({ tree: 'a' }));
    const steps = run.plan.steps.map((each) =>
      each.id === 'approve' ? { ...each, work: personWork({ quorum: 2 }) } : each,
    );
    run.says({ kind: 'edit', id: 'm1', plan: { ...run.plan, steps } }).asks('approve');
    expect(run.step('approve').task?.question.quorum).toBe(1);
    run
      .answersTask('approve', 'ann', 'push_back')
      .attempts('work', ok({ tree: 'b' }))
      .asks('approve');
    expect(run.step('approve').task?.question.quorum).toBe(2);
  });

  const base = plan([looping({ after: [] })]);
  test.each([
    ['the workspace', { ...base, workspace: { ...base.workspace, repo: '/other' } }],
    [
      'who works',
      changed(base, { work: { kind: 'agent', prompt: 'x', agent: { name: 'codex', session: 'fresh', fallback: [] } } }),
    ],
    [
      'its memory',
      changed(base, {
        work: {
          ...agent,
          agent: { name: 'scripted', session: 'resume', fallback: [], scripted: { passes: ['true'] } },
        } as StepPlan['work'],
      }),
    ],
    ['the kind of a step', changed(base, { work: { kind: 'run', command: 'true' } })],
    ['the steps', plan([looping(), step('more')])],
    ['where the result goes', { ...base, deliver: { mode: 'branch' as const } }],
    ['the secrets', changed(base, { secrets: ['TOKEN'] })],
    ['whether it has a folder of artifacts', { ...base, artifacts: true }],
  ])('E3, E-17: %s may not change, and nothing does', (_what, edited) => {
    expect(editIssues(base, edited)).toHaveLength(1);
    const run = play(base).opens();
    expect(run.answers({ kind: 'edit', id: 'm1', plan: edited })).toMatchObject({
      kind: 'refused',
      code: 'edit/not-allowed',
    });
  });

  const asks = (change: Parameters<typeof personWork>[0], also: Partial<StepPlan> = {}) =>
    plan([step('approve', { work: personWork(change), ...also })]);
  const never = { command: 'false', compare: 'exitCode' as const, returns: '0', timeSeconds: 9 };
  const time = (limitSeconds: number, onExpiry: 'fail' | 'skip') => ({ time: { limitSeconds, onExpiry } });
  test.each([
    ['fewer people', asks({ quorum: 2 }), asks({ quorum: 1 })],
    ['everyone', asks({ who: ['ann'] }), asks({ who: [] })],
    ['somebody else', asks({ who: ['ann'] }), asks({ who: ['ann', 'bob'] })],
    [
      'somebody else, later',
      asks({ who: ['ann'] }),
      asks({ who: ['ann'], escalate: { to: ['bob'], afterSeconds: 1 } }),
    ],
    ['the author', asks({ notAuthor: true }), asks({ notAuthor: false })],
    ['nobody, in the end', asks(time(9, 'fail')), asks(time(9, 'skip'))],
    ['nobody, sooner', asks(time(9, 'skip')), asks(time(8, 'skip'))],
    ['nobody, by a condition', asks({}), asks({}, { when: { condition: never, onUnmet: 'skip', onError: 'fail' } })],
  ])('E3, D5: an edit makes %s agree where more was asked: refused', (_what, before, edited) => {
    expect(editIssues(before, edited)).toHaveLength(1);
  });

  const gated = (change: Partial<StepPlan>) => {
    const ask = step('approve', { work: personWork(), after: ['work'] });
    return plan([looping({ loop: loopTo('work'), ...change }), step('between', { after: ['work'] }), ask]);
  };
  const when = { condition: never, onUnmet: 'skip' as const, onError: 'fail' as const };
  test.each([
    ['a rejection count for nothing', asks({}), asks({}, { continueOnError: true })],
    ['a skip take the question along', gated({}), gated({ skipsDependents: true })],
    ['a skip of a step before it likelier', gated({ skipsDependents: true }), gated({ skipsDependents: true, when })],
  ])('E3, D5, A8: an edit makes %s: refused', (_what, before, edited) => {
    expect(editIssues(before, edited)).toEqual([expect.stringContaining('can ask for more while the run goes on')]);
  });

  test('E3, A8: where nobody is asked later, what is skipped along may change', () => {
    const alone = (change: Partial<StepPlan>) => plan([looping(change), step('after', { after: ['work'] })]);
    expect(editIssues(alone({}), alone({ skipsDependents: true, when }))).toEqual([]);
    expect(editIssues(gated({ skipsDependents: true, when }), gated({ when }))).toEqual([]);
  });

  test('E3, D5: an edit may ask for more', () => {
    const before = asks({ who: ['ann', 'bob'], escalate: { to: ['carl'] }, ...time(9, 'skip') });
    const edited = asks({ who: ['carl'], quorum: 2, notAuthor: true, ...time(10, 'skip') });
    expect(editIssues(before, edited)).toEqual([]);
    expect(editIssues(asks({}), edited)).toEqual([expect.stringContaining('person.time')]);
  });

  test('E3: an edit that changes nothing is refused', () => {
    const run = working();
    expect(run.answers({ kind: 'edit', id: 'm1', plan: run.plan })).toMatchObject({
      kind: 'refused',
      code: 'edit/unchanged',
    });
  });

  test('A6, E3: a pattern that could not be judged is mended by an edit and judged on a new pass', () => {
    const error = { ...ok({ tree: 'a' }), match: { kind: 'error' as const, reason: 'It took too long.' } };
    const run = working({ match: { pass: '(a+)+$' } }).attempts('work', error);
    expect(run.answers(resume)).toMatchObject({ kind: 'refused', code: 'run/cause-holds' });
    run.says({ kind: 'edit', id: 'm1', plan: changed(run.plan, { match: { pass: 'done' } }) }).says(resume);
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.input('work').step.match).toEqual({ pass: 'done' });
  });

  test('A6, E3: an attempt that runs beside it is left alone', () => {
    const error = { ...ok({ tree: 'a' }), match: { kind: 'error' as const, reason: 'It took too long.' } };
    const steps = ['left', 'right'].map((id) => step(id, { readOnly: true, match: { pass: 'x' }, loop: loopTo(id) }));
    const run = play(plan(steps)).opens().attempts('left', error);
    run.says({ kind: 'edit', id: 'm1', plan: changed(run.plan, { match: { pass: 'done' } }) }).says(resume);
    run.attempts('right', error).says({ kind: 'edit', id: 'm2', plan: changed(run.plan, { match: { pass: 'y' } }) });
    run.says({ ...resume, id: 'm3' });
    expect(run.step('left').pass).toBe(2);
    expect(run.step('right').pass).toBe(2);
  });
});

describe('E3: raise', () => {
  test('E3: counts at once, in a pass under way too', () => {
    const run = working({ loop: loopTo('work', { limit: 0 }) });
    run.says({ kind: 'raise', id: 'm1', limits: { passes: 2 } }).attempts('work', ok({ tree: 'a' }));
    expect(run.judges('work', fails('tests')).underWay).toEqual(['attempt work#2.1']);
  });

  test('E3: below what is spent, or where there is no limit, it is refused with the amounts', () => {
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, spendUsd: 5 };
    const run = working({}, { limits }).attempts('work', ok({ tree: 'a', usd: 7 }));
    expect(run.answers({ kind: 'raise', id: 'm1', limits: { spendUsd: 6 } })).toMatchObject({
      code: 'raise/not-higher',
      message: 'The limit of spend is 5.00 USD, with 7.00 USD spent: raise it above 7.00 USD.',
    });
    expect(run.answers({ kind: 'raise', id: 'm1', limits: { timeSeconds: 60 } })).toMatchObject({
      code: 'raise/no-limit',
    });
    expect(run.answers({ kind: 'raise', id: 'm1', limits: { passes: 9, step: 'no' } })).toMatchObject({
      code: 'step/not-found',
    });
  });
});

describe('D3, E3: a finished step of a running run is sent back', () => {
  const steps = [
    looping(),
    step('docs', { after: ['work'], work: agent }),
    step('approve', { after: ['docs'], work: personWork() }),
  ];
  const finished = () =>
    play(plan(steps, { deliver: { mode: 'branch' } }))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', passes('tests'))
      .attempts('docs', ok({ tree: 'a' }))
      .asks('approve');

  test('D3: it and everything after it begin their next pass with the word, what is open closes', () => {
    const run = finished().says({ kind: 'pushBack', id: 'm1', step: 'work', remark: word });
    expect(run.last('task.closed').reason).toBe('The step begins another pass.');
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.input('work').scope.feedback).toMatchObject([{ by: 'ann', summary: 'again' }]);
    expect(run.state.steps).toMatchObject({ docs: { pass: 2 }, approve: { pass: 2 } });
  });

  test('E3: refused for a step that is not finished, not there, or whose result is being delivered', () => {
    const run = finished();
    const back = (id: string) => run.answers({ kind: 'pushBack', id: 'm1', step: id, remark: word });
    expect(back('approve')).toMatchObject({ message: expect.stringContaining('setpoint push-back task_1.approve') });
    expect(back('nope')).toMatchObject({ code: 'step/not-found' });
    run.answersTask('approve', 'ann', 'approve');
    expect(run.underWay).toEqual(['@deliver']);
    expect(back('work')).toMatchObject({
      code: 'run/busy',
      message: expect.stringContaining('setpoint retry run_1 --from work'),
    });
  });
});

describe('E8: retry of a step', () => {
  const steps = [step('a'), step('b', { after: ['a'] }), step('c', { after: ['b'] })];
  const done = () =>
    play(plan(steps))
      .opens()
      .attempts('a', ok({ tree: 'a' }))
      .attempts('b', ok({ tree: 'b' }))
      .attempts('c', ok({ tree: 'c' }));

  test('E8: a run that succeeded does one step again, or a step with everything after it', () => {
    const only = done().says({ kind: 'retry', id: 'm1', only: 'b' });
    expect(only.underWay).toEqual(['attempt b#2.1']);
    expect(only.attempts('b', ok({ tree: 'b' })).stop?.kind).toBe('succeeded');
    const from = done()
      .says({ kind: 'retry', id: 'm1', from: 'b' })
      .attempts('b', ok({ tree: 'x' }));
    expect(from.underWay).toEqual(['attempt c#2.1']);
    expect(done().answers({ kind: 'retry', id: 'm1', from: 'z' })).toMatchObject({ code: 'step/not-found' });
  });

  test('E8, D2: a question of a run that was cancelled is asked anew', () => {
    const run = play(plan([step('approve', { work: personWork() })]))
      .opens()
      .asks('approve');
    run.says({ kind: 'cancel', id: 'm1', reason: 'x' }).says({ kind: 'retry', id: 'm2' }).asks('approve');
    expect(run.step('approve').task).toMatchObject({ revision: 2, status: 'open' });
  });
});

describe('E8: fork', () => {
  test('E8: another run goes on from a pass, with nothing of the first one spent and its files kept again', () => {
    const first = play(plan([looping()], { keepBetweenRuns: ['notes/**'] }))
      .opens()
      .attempts('work', ok({ tree: 'a', usd: 3 }));
    first.judges('work', fails('tests'));
    const forked = fold(first.plan, [
      ...first.events,
      { type: 'run.forked', at: first.clock, runId: 'run_2', from: { runId: 'run_1', step: 'work', pass: 1 } },
    ]);
    expect(forked).toMatchObject({
      runId: 'run_2',
      spend: { usd: 0 },
      kept: 'due',
      workspace: { phase: 'none', snapshot: { tree: 'a' } },
      steps: { work: { pass: 2, phase: 'idle', busy: null } },
    });
  });
});

describe('E-19: sources', () => {
  const hold = { kind: 'hold' as const, id: 'hold', source: 'nightly' };
  const release = { kind: 'release' as const, id: 'release', source: 'nightly' };

  test('E-19: off, what runs is finished and judged, no new pass begins, and the status names the switch', () => {
    const run = working()
      .says(hold)
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'));
    expect(run.underWay).toEqual([]);
    expect(standing(run)).toMatchObject({
      status: 'queued',
      why: 'Its source "nightly" is switched off.',
      remedy: 'setpoint source on nightly',
    });
    expect(run.says(release).underWay).toEqual(['attempt work#2.1']);
  });

  test('E-19: a run that a person paused stays paused when its source goes on', () => {
    const run = working().says(hold).says(pause).says(release);
    run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests'));
    expect(run.underWay).toEqual([]);
    expect(run.paused?.by).toBe('ann');
  });

  test('E-19: two sources that are off must both go on', () => {
    const run = working()
      .says(hold)
      .says({ ...hold, id: 'other', source: 'web' });
    run
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'))
      .says(release);
    expect(run.underWay).toEqual([]);
    expect(run.says({ ...release, id: 'other on', source: 'web' }).underWay).toEqual(['attempt work#2.1']);
  });

  test('E-19: an open question may be answered, and what follows it waits', () => {
    const steps = [step('approve', { work: personWork() }), step('work', { after: ['approve'] })];
    const run = play(plan(steps)).opens().asks('approve').says(hold).answersTask('approve', 'ann', 'approve');
    expect(run.step('approve').outcome).toBe('succeeded');
    expect(run.underWay).toEqual([]);
  });

  test('E-19, E8: a held run that fails may still end', () => {
    const run = working({ loop: loopTo('work', { limit: 0 }) })
      .says(hold)
      .attempts('work', exited(1, { tree: 'a' }));
    expect(run.judges('work', passes('tests')).stop?.kind).toBe('exhausted');
  });
});
