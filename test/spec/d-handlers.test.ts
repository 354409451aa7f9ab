import { describe, expect, test } from 'vitest';

import type { Handlers, Plan, StepPlan } from '#core/plan/plan.ts';
import { forkPoint } from '#core/run/fork.ts';
import { summarise } from '#core/run/summarise.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { crashed, exited, fails, matchFailed, ok, overload } from './outcomes.ts';
import { play, type Play } from './play.ts';

const all: Handlers = {
  success: step('on-success'),
  failure: step('on-failure'),
  cancel: step('on-cancel'),
  exit: step('on-exit'),
};

function handled(handlers: Handlers = all, change: Partial<Plan> = {}, work: Partial<StepPlan> = {}): Play {
  return play(plan([step('work', work)], { handlers, ...change })).opens();
}

/** The steps that were attempted, in order. */
function attempted(run: Play): string[] {
  return run.all('attempt.started').map((event) => event.step);
}

describe('D-14: what runs once the end of a run is known', () => {
  test('D-14: after a success the handler for it, then the one for every end', () => {
    const run = handled().attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['attempt on-success#1.1']);
    expect(run.stop).toBeNull();
    expect(run.input('on-success').scope.run.status).toBe('succeeded');
    run.attempts('on-success', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['attempt on-exit#1.1']);
    run.attempts('on-exit', ok({ tree: 'a' }));
    expect(run.stop?.kind).toBe('succeeded');
    expect(attempted(run)).toEqual(['work', 'on-success', 'on-exit']);
  });

  test('D-14: after a failure the one for it, with the status that the run is about to have', () => {
    const run = handled().attempts('work', exited(1));
    expect(run.underWay).toEqual(['attempt on-failure#1.1']);
    expect(run.input('on-failure').scope.run.status).toBe('failed');
    run.attempts('on-failure', ok()).attempts('on-exit', ok());
    expect(run.stop).toMatchObject({ kind: 'failed', reason: 'Step "work" failed: exit 1' });
  });

  test('D-14: an exhausted loop is a failure, and its status says which', () => {
    const run = handled(all, {}, { loop: loopTo('work', { limit: 0 }) }).attempts('work', exited(1));
    expect(run.input('on-failure').scope.run.status).toBe('exhausted');
  });

  test('D-14, A8: a condition whose want is to cancel the run is no failure', () => {
    const condition = { command: 'test -e go', compare: 'exitCode', returns: '0', timeSeconds: 60 } as const;
    const run = handled(all, {}, { when: { condition, onUnmet: 'cancel', onError: 'fail' } });
    run.evaluates('work', { kind: 'unmet', actual: '1' });
    expect(run.underWay).toEqual(['attempt on-cancel#1.1']);
    expect(run.input('on-cancel').scope.run.status).toBe('cancelled');
    run.attempts('on-cancel', ok()).attempts('on-exit', ok());
    const reason = 'Step "work" was not to run: Its condition is not met: `test -e go` gives "1".';
    expect(run.stop).toMatchObject({ kind: 'cancelled', reason });
    expect(attempted(run)).toEqual(['on-cancel', 'on-exit']);
  });

  test('D-14: after a cancel the one for it, once what was under way has ended', () => {
    const run = handled().says({ kind: 'cancel', id: 'c1', reason: 'No more.' });
    expect(run.cancelled).toEqual(['work']);
    expect(attempted(run)).toEqual(['work']);
    run.endsCancelled('work');
    expect(run.underWay).toEqual(['attempt on-cancel#1.1']);
    run.attempts('on-cancel', ok()).attempts('on-exit', ok());
    expect(run.stop).toMatchObject({ kind: 'cancelled', reason: 'No more.' });
  });

  test('D-14: a plan without a handler for its end just ends', () => {
    const run = handled({ failure: step('on-failure') }).attempts('work', ok({ tree: 'a' }));
    expect(run.stop?.kind).toBe('succeeded');
    expect(run.all('handlers.started')).toEqual([]);
  });

  test('D-14: a success is delivered first, and its workspace stays for the handlers', () => {
    const run = handled(all, { deliver: { mode: 'branch' } }).attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['@deliver']);
    run.delivers({ mode: 'branch', nothingToDeliver: false, branch: 'setpoint/run_1', commit: 'c' });
    expect(run.underWay).toEqual(['attempt on-success#1.1']);
  });

  test('D-14: a handler that fails after a success makes the run a failure; what was delivered stays and is said', () => {
    const run = handled({ success: step('on-success') }, { deliver: { mode: 'branch' } }).attempts(
      'work',
      ok({ tree: 'a' }),
    );
    run.delivers({ mode: 'branch', nothingToDeliver: false, branch: 'setpoint/run_1', commit: 'c' });
    run.attempts('on-success', exited(7));
    expect(run.stop).toMatchObject({ kind: 'failed', code: 'handler_failed' });
    expect(run.stop?.reason).toBe(
      'Every step passed; delivered setpoint/run_1. Then its handler "on-success" failed: exit 7',
    );
    expect(summarise(run.plan, run.state, 1)).toMatchObject({ delivery: 'branch', branch: 'setpoint/run_1' });
  });

  test('D-14: the handler for every end is told the end as it stands by then', () => {
    const run = handled()
      .attempts('work', ok({ tree: 'a' }))
      .attempts('on-success', exited(1));
    expect(run.input('on-exit').scope.run.status).toBe('failed');
    run.attempts('on-exit', ok());
    expect(run.stop?.kind).toBe('failed');
  });

  test('D-14: a handler that fails after a failure is recorded and changes nothing', () => {
    const run = handled().attempts('work', exited(1)).attempts('on-failure', exited(2)).attempts('on-exit', exited(3));
    expect(run.all('step.failed').map(({ step: id }) => id)).toEqual(['work', 'on-failure', 'on-exit']);
    expect(run.stop?.reason).toBe('Step "work" failed: exit 1');
  });

  test('D-14: one whose failure is let go leaves a success a success', () => {
    const run = handled({ success: step('on-success', { continueOnError: true }) }).attempts('work', ok({ tree: 'a' }));
    run.attempts('on-success', exited(1));
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('D-14: it has attempts, retries and checks as any step', () => {
    const handler = step('on-success', {
      checks: [commandCheck('sent')],
      retry: { on: 'failure', limit: 1, everySeconds: 5, backoff: 1 },
    });
    const run = handled({ success: handler })
      .attempts('work', ok({ tree: 'a' }))
      .attempts('on-success', exited(1));
    expect(run.wakesInSeconds).toBe(5);
    run.waits(5).attempts('on-success', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge on-success#1 (sent)']);
    run.judges('on-success', fails('sent', 'no answer'));
    expect(run.stop?.reason).toContain('sent: no answer');
  });

  test('D-14: it has its own condition; one that is not met skips it', () => {
    const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };
    const handler = step('on-exit', { when: { condition, onUnmet: 'skip', onError: 'pause' } });
    const run = handled({ exit: handler }).attempts('work', ok({ tree: 'a' }));
    run.evaluates('on-exit', { kind: 'unmet', actual: '1' });
    expect(run.stop?.kind).toBe('succeeded');
  });
});

describe('D-14: a handler and the limits of its run', () => {
  test('D-14: it runs though time and deadline are used up', () => {
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const };
    const run = handled(all, { limits: { ...limits, timeSeconds: 10, deadlineSeconds: 20 } });
    run.waits(30).endsCancelled('work');
    expect(run.input('on-failure').scope.run.status).toBe('timed_out');
    expect(run.input('on-failure').brief.remainingSeconds).toBeUndefined();
    run.waits(100).attempts('on-failure', ok()).attempts('on-exit', ok());
    expect(run.stop?.kind).toBe('timed_out');
  });

  test('D-14: an agent needs money; without any its handler fails, and a command runs all the same', () => {
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'pause' as const, spendUsd: 1 };
    const handlers = { success: step('on-success', { work: scriptedAgent([]) }), exit: step('on-exit') };
    const run = handled(handlers, { limits }).attempts('work', ok({ tree: 'a', usd: 2 }));
    expect(run.last('step.failed').reason).toContain('has spent 2.00 USD of its limit of 1 USD');
    expect(run.underWay).toEqual(['attempt on-exit#1.1']);
  });

  test('D-14: what would pause a run fails its handler: nobody resumes a run that has ended', () => {
    const run = handled({ success: step('on-success', { match: { pass: 'sent' } }) }).attempts(
      'work',
      ok({ tree: 'a' }),
    );
    run.attempts('on-success', { ...matchFailed(''), match: { kind: 'error', reason: 'it took too long' } });
    expect(run.paused).toBeNull();
    expect(run.stop?.reason).toContain('it took too long');
  });

  test('D-14: so does what would end it: a provider, too many crashes, a fault that no retry mends', () => {
    const run = handled({ exit: step('on-exit', { retry: { on: [], limit: 0, everySeconds: 0, backoff: 1 } }) });
    run.attempts('work', exited(1)).attempts('on-exit', overload());
    expect(run.stop?.reason).toBe('Step "work" failed: exit 1');
    const faulty = handled({ success: step('on-success') }).attempts('work', ok({ tree: 'a' }));
    faulty.faults('on-success', 'agent/not-found', 'There is no such agent.');
    expect(faulty.stop).toMatchObject({ kind: 'failed', code: 'handler_failed' });
  });

  test('D-14: without a workspace there is nothing for it to work in, and the record says so', () => {
    const run = play(plan([step('work')], { handlers: all })).faults(
      '@openWorkspace',
      'workspace/not-a-repo',
      'No repo.',
    );
    expect(run.all('step.skipped').map(({ step: id }) => id)).toEqual(['on-failure', 'on-exit']);
    expect(run.stop?.kind).toBe('failed_to_start');
  });
});

describe('D-14: a handler and what people do', () => {
  test('D-14: a cancel ends the handler that runs, and those that are still to come', () => {
    const run = handled().says({ kind: 'cancel', id: 'c1', reason: 'No more.' }).endsCancelled('work');
    run.says({ kind: 'cancel', id: 'c2', reason: 'Really.' });
    expect(run.cancelled).toEqual(['work', 'on-cancel']);
    run.endsCancelled('on-cancel');
    expect(run.step('on-cancel')).toMatchObject({ outcome: 'failed', reason: 'Really.' });
    expect(run.step('on-exit').outcome).toBe('skipped');
    expect(run.stop).toMatchObject({ kind: 'cancelled', reason: 'No more.' });
  });

  test('D-14: a cancel after a success says that the run had succeeded', () => {
    const run = handled()
      .attempts('work', ok({ tree: 'a' }))
      .says({ kind: 'cancel', id: 'c1', reason: 'Stop it.' });
    run.endsCancelled('on-success');
    expect(run.stop).toMatchObject({ kind: 'cancelled' });
    expect(run.stop?.reason).toBe('Every step passed. Its handlers were cancelled: Stop it.');
  });

  test('D-14, E3: nothing else is decided meanwhile: no pause, no push back, no retry, no raise', () => {
    const run = handled().attempts('work', ok({ tree: 'a' }));
    const remark = { by: 'ada', comment: '', text: { sha256: 'x', bytes: 0, excerpt: '' } };
    const answers = [
      run.answers({ kind: 'pause', id: 'p' }),
      run.answers({ kind: 'pushBack', id: 'b', step: 'work', remark }),
      run.answers({ kind: 'retry', id: 'r', from: 'work' }),
      run.answers({ kind: 'raise', id: 'l', limits: { passes: 9 } }),
    ];
    expect(answers.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused', 'refused']);
    expect(summarise(run.plan, run.state, 1).why).toBe(
      'Its handler "on-success" runs; it is ending: Every step passed.',
    );
  });

  test('D-14, E8: a run that is retried runs the handlers of its new end, in a pass of their own', () => {
    const run = handled().attempts('work', exited(1)).attempts('on-failure', ok()).attempts('on-exit', ok());
    run.says({ kind: 'retry', id: 'r1' }).attempts('work', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['attempt on-success#1.1']);
    run.attempts('on-success', ok()).attempts('on-exit', ok());
    expect(run.all('attempt.started').map(({ step: id, pass }) => `${id}#${pass}`)).toEqual([
      'work#1',
      'on-failure#1',
      'on-exit#1',
      'work#2',
      'on-success#1',
      'on-exit#2',
    ]);
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('D-14, E8: a handler is no step to retry, to go back to or to fork from', () => {
    const run = handled().attempts('work', exited(1)).attempts('on-failure', ok()).attempts('on-exit', ok());
    expect(run.answers({ kind: 'retry', id: 'r1', only: 'on-exit' })).toMatchObject({ code: 'step/not-found' });
    const events = run.events.map((event, index) => ({ seq: index + 1, event }));
    expect(forkPoint(run.plan, events, { step: 'on-exit', pass: 1 })).toEqual({
      kind: 'none',
      passes: [{ step: 'work', pass: 1 }],
    });
  });

  test('D-14, E3: handlers do not change while the run goes on', () => {
    const run = handled();
    const edited = { ...run.plan, handlers: { exit: step('on-exit', { name: 'other' }) } };
    expect(run.answers({ kind: 'edit', id: 'e', plan: edited })).toMatchObject({ code: 'edit/not-allowed' });
  });
});

describe('D-14, E5: a handler survives crashes', () => {
  test('E5: one that was under way when its seat was lost is looked up, never paid twice', () => {
    const run = handled().attempts('work', exited(1)).reseats();
    expect(run.underWay).toEqual(['recover on-failure#1.1']);
    run.recovers('on-failure', { kind: 'finished', result: ok() });
    expect(run.underWay).toEqual(['attempt on-exit#1.1']);
  });

  test('E5: one that crashed begins again, three times at most, and the run keeps its end', () => {
    const run = handled({ exit: step('on-exit') }).attempts('work', exited(1));
    run.attempts('on-exit', crashed()).attempts('on-exit', crashed());
    run.waits(5).attempts('on-exit', crashed()).waits(10).attempts('on-exit', crashed());
    expect(run.last('step.failed').reason).toContain('crashed 4 times');
    expect(run.stop?.reason).toBe('Step "work" failed: exit 1');
  });

  test('D-23: what the next run begins with is kept after the handlers, which may write it', () => {
    const run = handled({ exit: step('on-exit') }, { keepBetweenRuns: ['state/**'] }).attempts('work', exited(1));
    expect(run.underWay).toEqual(['attempt on-exit#1.1']);
    run.attempts('on-exit', ok());
    expect(run.underWay).toEqual(['@keepFiles']);
    run.keeps();
    expect(run.stop?.kind).toBe('failed');
  });
});
