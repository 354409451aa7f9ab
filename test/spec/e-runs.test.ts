import { describe, expect, test } from 'vitest';

import { StopKind, exitCodeOf } from '#core/run/stop.ts';
import { summarise } from '#core/run/summarise.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { cannotRun, crashed, exited, fails, ok, overload, passes, quota } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const tests = commandCheck('tests');
const retry = { kind: 'retry' as const, id: 'm1' };
const cancel = { kind: 'cancel' as const, id: 'm2', reason: 'Not needed any more.' };

const standing = (run: Play) => summarise(run.plan, run.state, run.events.length);
const working = (change = {}) => play(plan([step('work', { work: agent, checks: [tests], ...change })])).opens();

describe('E1: how a run stops', () => {
  const codes: Record<StopKind, number> = {
    succeeded: 0,
    failed: 1,
    rejected: 1,
    exhausted: 1,
    no_progress: 1,
    timed_out: 1,
    over_budget: 1,
    cancelled: 4,
    provider_error: 5,
    failed_to_start: 5,
    delivery_failed: 5,
  };

  test.each(StopKind.options)('E1: the exit code of %s', (kind) => {
    expect(exitCodeOf(kind)).toBe(codes[kind]);
  });

  test('E1: succeeded only with the verdicts in', () => {
    const run = working().attempts('work', ok({ tree: 'a' }));
    expect(run.stop).toBeNull();
    expect(run.judges('work', passes('tests')).stop).toEqual({ kind: 'succeeded', reason: 'Every step passed.' });
  });

  test('E1: a workspace that cannot be opened stops as failed_to_start', () => {
    const run = play(plan([step('work')])).faults(
      '@openWorkspace',
      'workspace/base-unknown',
      'There is no branch "x".',
    );
    expect(run.stop).toEqual({
      kind: 'failed_to_start',
      code: 'workspace/base-unknown',
      reason: 'There is no branch "x".',
    });
  });

  test('E1: a delivery that fails stops as delivery_failed, and a retry delivers the same verified tree', () => {
    const run = play(plan([step('work')], { deliver: { mode: 'branch' } }))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    run.faults('@deliver', 'delivery/branch-exists', 'The branch exists.');
    expect(run.stop).toMatchObject({ kind: 'delivery_failed', code: 'delivery/branch-exists' });
    expect(run.says(retry).underWay).toEqual(['@deliver']);
  });

  test('E1: a failed step ends what runs beside it before the run stops', () => {
    const run = play(plan([step('a', { readOnly: true }), step('b', { readOnly: true })])).opens();
    run.attempts('a', exited(1));
    expect(run.cancelled).toEqual(['b']);
    expect(run.stop).toBeNull();
    expect(run.endsCancelled('b').stop?.kind).toBe('failed');
  });
});

describe('E2: whoever reads a status sees why it does not move', () => {
  test('E2: queued, while a host with a free slot is waited for', () => {
    expect(standing(play(plan([step('work')])))).toMatchObject({
      status: 'queued',
      why: 'It waits for a host with a free slot to open its workspace.',
    });
  });

  test('E2: running needs no why', () => {
    const summary = standing(working());
    expect(summary).toMatchObject({ status: 'running', passes: 1, spendUsd: 0, hostId: 'host' });
    expect(summary).not.toHaveProperty('why');
  });

  test("E2, E6: waiting says for what and how long: the provider's window", () => {
    const run = working();
    run.attempts('work', quota(run.clock + 3_600_000));
    expect(standing(run)).toMatchObject({
      status: 'waiting',
      why: 'Step "work" waits 3600 s for the provider\'s usage window.',
    });
  });

  test('E2: waiting says for what and how long: an interval', () => {
    expect(standing(working().attempts('work', overload()))).toMatchObject({
      status: 'waiting',
      why: 'Step "work" waits 10 s for its interval.',
    });
  });

  test('E2: paused gives reason and remedy', () => {
    const run = working().attempts('work', ok({ tree: 'a' }));
    run.judges('work', cannotRun('tests')).judges('work', cannotRun('tests')).judges('work', cannotRun('tests'));
    expect(standing(run)).toMatchObject({ status: 'paused', why: run.paused?.reason, remedy: run.paused?.remedy });
  });

  test('E2: a run that is ending says so', () => {
    expect(standing(working().says(cancel))).toMatchObject({
      status: 'running',
      why: 'It is ending: Not needed any more.',
    });
  });

  test('E2: ended gives the stop', () => {
    const run = working()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'));
    expect(standing(run)).toMatchObject({ status: 'ended', stop: { kind: 'failed' } });
  });
});

describe('E3: cancel', () => {
  test('E3, E-18: cancel ends what is under way, and is final once nothing of the run is alive', () => {
    const run = working().says(cancel);
    expect(run.cancelled).toEqual(['work']);
    expect(run.stop).toBeNull();
    expect(run.endsCancelled('work').stop).toEqual({ kind: 'cancelled', reason: 'Not needed any more.' });
  });

  test('E3: a result that arrives after the cancel counts its spend and nothing else', () => {
    const run = working()
      .says(cancel)
      .attempts('work', ok({ tree: 'a', usd: 0.25 }));
    expect(run.stop?.kind).toBe('cancelled');
    expect(run.state.spend.usd).toBe(0.25);
    expect(run.state.workspace).toMatchObject({ snapshot: { tree: 'base' }, dirty: true });
  });

  test('E3: a cancel before the workspace is there ends its opening', () => {
    const run = play(plan([step('work')])).says(cancel);
    expect(run.cancelled).toContain('@openWorkspace');
    expect(run.endsCancelled('@openWorkspace').stop?.kind).toBe('cancelled');
  });

  test('E3: a paused run can be cancelled', () => {
    const run = play(plan([step('work', { loop: loopTo('work', { limit: 0, onExhausted: 'pause' }) })])).opens();
    expect(run.attempts('work', exited(1)).says(cancel).stop?.kind).toBe('cancelled');
  });

  test('E3, E-25: the same message again changes nothing, and a run that has ended refuses another', () => {
    const run = working().says(cancel).says(cancel).endsCancelled('work');
    expect(run.all('run.cancelling').length).toBe(1);
    expect(run.answers(cancel)).toEqual({ kind: 'applied' });
    expect(run.answers({ ...cancel, id: 'm3' })).toMatchObject({ kind: 'refused', code: 'run/ended' });
  });
});

describe('E5: a crash of any process', () => {
  test('E5: a result that was stored before the crash is taken, not paid again', () => {
    const run = working().faults('work', 'host/crashed');
    expect(run.underWay).toEqual(['recover work#1.1']);
    run.recovers('work', { kind: 'finished', result: ok({ tree: 'a' }) });
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    expect(run.all('attempt.started').length).toBe(1);
  });

  test('E5: an attempt whose process had ended goes on as the same attempt, on the tree as it is', () => {
    const run = working().faults('work', 'host/crashed').recovers('work', { kind: 'resumable' });
    expect(run.underWay).toEqual(['attempt work#1.1']);
    expect(run.input('work')).toMatchObject({ resume: true, restore: false });
    expect(run.step('work').begun).toBe(1);
  });

  test('E5: an attempt that is lost starts again as attempt + 1 from the last snapshot, its spend counted', () => {
    const spend = { usd: 0.5, estimated: true, inputTokens: 10, outputTokens: 20 };
    const run = working().faults('work', 'host/crashed').recovers('work', { kind: 'lost', spend });
    expect(run.underWay).toEqual(['attempt work#1.2']);
    expect(run.input('work')).toMatchObject({ restore: true, resume: false, from: { tree: 'base' } });
    expect(run.state.spend).toEqual(spend);
  });

  const loseOnce = (run: Play, code = 'host/crashed') =>
    run
      .faults('work', code)
      .recovers('work', { kind: 'lost', spend: { estimated: false, inputTokens: 0, outputTokens: 0 } });

  test('E5: three restarts a pass, then the run fails and says so', () => {
    const run = working();
    loseOnce(run);
    expect(run.underWay).toEqual(['attempt work#1.2']);
    loseOnce(run);
    expect(run.wakesInSeconds).toBe(5);
    loseOnce(run.waits(5));
    expect(run.wakesInSeconds).toBe(10);
    expect(run.waits(10).underWay).toEqual(['attempt work#1.4']);
    loseOnce(run);
    expect(run.stop).toMatchObject({ kind: 'failed', code: 'host/crashed' });
    expect(run.stop?.reason).toContain('crashed 4 times in one pass');
    expect(run.stop?.remedy).toBeDefined();
  });

  test('E5: a host that was told to stop spends no restart', () => {
    const run = working();
    for (let count = 0; count < 5; count += 1) loseOnce(run, 'host/stopping');
    expect(run.underWay).toEqual(['attempt work#1.6']);
    expect(run.step('work').crashes).toBe(0);
  });

  test('E5: a crash after such a stop is a crash again', () => {
    const run = loseOnce(working(), 'host/stopping').reseats();
    run.recovers('work', { kind: 'lost', spend: { estimated: false, inputTokens: 0, outputTokens: 0 } });
    expect(run.step('work').crashes).toBe(1);
  });

  test('E5: an agent that was killed by a signal is started again from the snapshot before it', () => {
    const run = working().attempts('work', crashed({ tree: 'half' }));
    expect(run.underWay).toEqual(['attempt work#1.2']);
    expect(run.input('work')).toMatchObject({ restore: true, from: { tree: 'base' } });
  });

  test('E5: what a reader resumes never hides that the workspace must be restored', () => {
    const run = play(plan([step('write'), step('read', { readOnly: true })]))
      .opens()
      .reseats();
    run.recovers('write', { kind: 'lost', spend: { estimated: false, inputTokens: 0, outputTokens: 0 } });
    const dirty = play(plan([step('write'), step('read', { readOnly: true })]))
      .opens()
      .reseats();
    dirty.recovers('read', { kind: 'resumable' });
    dirty.recovers('write', { kind: 'lost', spend: { estimated: false, inputTokens: 0, outputTokens: 0 } });
    for (const each of [run, dirty]) expect(each.input('write')).toMatchObject({ restore: true, key: { attempt: 2 } });
  });

  test('E5: no pass that was decided is repeated when another seat goes on', () => {
    const run = play(plan([step('a'), step('b', { after: ['a'] })]))
      .opens()
      .attempts('a', ok({ tree: 'a' }))
      .reseats();
    expect(run.underWay).toEqual(['recover b#1.1']);
    expect(run.step('a')).toMatchObject({ begun: 1, outcome: 'succeeded' });
  });

  test('E5: judging that was under way is begun again as another round', () => {
    const run = working()
      .attempts('work', ok({ tree: 'a' }))
      .reseats();
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
    expect(run.last('checks.started').round).toBe(2);
  });
});

describe('E6: quota', () => {
  test('E6: a window that says when it resets is waited out, and no budget is spent', () => {
    const run = working();
    run.attempts('work', quota(run.clock + 1_800_000));
    expect(run.wakesInSeconds).toBe(1800);
    expect(run.underWay).toEqual([]);
    run.waits(1800);
    expect(run.underWay).toEqual(['attempt work#1.2']);
    expect(run.step('work')).toMatchObject({ pass: 1, retries: 0, crashes: 0, loops: 0 });
    expect(run.state.activeMs).toBe(0);
  });

  test('E6: an unknown end is probed ever later, at most every 15 minutes, and says so', () => {
    const run = working();
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      run.attempts('work', quota());
      expect(run.wakesInSeconds).toBe(seconds);
      run.waits(seconds);
    }
    expect(run.last('attempt.retried')).toMatchObject({
      kind: 'quota',
      reason: 'the usage window is used up (reset unknown)',
    });
  });

  test('E6: a reset in the past is asked a second later, not at once', () => {
    const run = working();
    run.attempts('work', quota(run.clock - 60_000));
    expect(run.wakesInSeconds).toBe(1);
  });

  test('E6, E10: the deadline counts while the window is waited for', () => {
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, deadlineSeconds: 600 };
    const run = play(plan([step('work', { work: agent })], { limits })).opens();
    run.attempts('work', quota(run.clock + 7_200_000));
    expect(run.wakesInSeconds).toBe(600);
    expect(run.waits(600).stop?.kind).toBe('timed_out');
  });
});

describe('E8: retry of a run', () => {
  const two = () =>
    play(plan([step('a', { work: agent }), step('b', { after: ['a'], loop: loopTo('b', { limit: 1 }) })])).opens();

  test('E8: finished steps are kept, what failed begins its next pass with what was found', () => {
    const run = two().attempts('a', ok({ tree: 'a', usd: 1 }));
    run.attempts('b', exited(1, { tree: 'b' })).attempts('b', exited(2, { tree: 'c' }));
    expect(run.stop?.kind).toBe('exhausted');
    run.says(retry);
    expect(run.underWay).toEqual(['attempt b#3.1']);
    expect(run.input('b').scope.feedback).toMatchObject([{ step: 'b', pass: 2, summary: 'exit 2' }]);
    expect(run.step('a').begun).toBe(1);
    expect(run.state.spend.usd).toBe(1);
    expect(run.step('b').loops).toBe(0);
  });

  test('E8: a cancelled run goes on where it was, from its last snapshot', () => {
    const run = two()
      .attempts('a', ok({ tree: 'a' }))
      .says(cancel)
      .endsCancelled('b')
      .says(retry);
    expect(run.underWay).toEqual(['attempt b#2.1']);
    expect(run.input('b')).toMatchObject({ restore: true, from: { tree: 'a' } });
  });

  test('E8: a run whose workspace could not be opened tries that again', () => {
    const run = play(plan([step('work')])).faults('@openWorkspace', 'workspace/base-unknown');
    expect(run.says(retry).underWay).toEqual(['@openWorkspace']);
  });

  test('E8: refused while it runs, while it is still pausing, and once it has succeeded', () => {
    const run = two();
    expect(run.answers(retry)).toMatchObject({ kind: 'refused', code: 'run/not-ended' });
    run.attempts('a', ok({ tree: 'a' })).attempts('b', ok({ tree: 'b' }));
    expect(run.answers(retry)).toMatchObject({ kind: 'refused', code: 'run/succeeded' });
    const readers = [
      step('slow', { readOnly: true }),
      step('broken', { readOnly: true, loop: loopTo('broken', { limit: 0, onExhausted: 'pause' }) }),
    ];
    const pausing = play(plan(readers)).opens().attempts('broken', exited(1));
    expect(pausing.paused?.code).toBe('exhausted');
    expect(pausing.answers(retry)).toMatchObject({ kind: 'refused', code: 'run/busy' });
    expect(pausing.attempts('slow', ok()).answers(retry)).toEqual({ kind: 'applied' });
  });

  test('E8, decision 4: what finished while the run was pausing goes on where it stands', () => {
    const broken = step('broken', { readOnly: true, loop: loopTo('broken', { limit: 0, onExhausted: 'pause' }) });
    const slow = step('slow', { readOnly: true, checks: [tests] });
    const run = play(plan([broken, slow]))
      .opens()
      .attempts('broken', exited(1))
      .attempts('slow', ok());
    expect(run.underWay).toEqual([]);
    run.says(retry);
    expect(run.underWay).toEqual(['attempt broken#2.1', 'judge slow#1 (tests)']);
    expect(run.step('slow').begun).toBe(1);
  });

  test('E8, decision 4: a step that passed by its exit alone while the run was pausing has succeeded', () => {
    const broken = step('broken', { readOnly: true, loop: loopTo('broken', { limit: 0, onExhausted: 'pause' }) });
    const run = play(plan([broken, step('slow', { readOnly: true })]))
      .opens()
      .attempts('broken', exited(1));
    run.attempts('slow', ok()).says(retry);
    expect(run.step('slow')).toMatchObject({ pass: 1, outcome: 'succeeded' });
  });

  test('E8, C7: an attempt that outlasted the time limit of a run that pauses counts after the retry', () => {
    const limits = { noProgress: 0, onTime: 'pause' as const, onSpend: 'pause' as const, timeSeconds: 60 };
    const run = play(plan([step('work', { checks: [tests], loop: loopTo('work') })], { limits }))
      .opens()
      .waits(60);
    expect(run.paused?.code).toBe('timed_out');
    run.attempts('work', ok({ tree: 'a' })).says(retry);
    expect(run.underWay).toEqual(['judge work#1 (tests)']);
  });

  test('E8, C7: a pass that the money did not allow to begin keeps its number and its feedback', () => {
    const limits = { noProgress: 0, onTime: 'fail' as const, onSpend: 'fail' as const, spendUsd: 1 };
    const run = play(plan([step('work', { work: agent, checks: [tests], loop: loopTo('work') })], { limits })).opens();
    run.attempts('work', ok({ tree: 'a', usd: 2 })).judges('work', fails('tests', '2 failed'));
    expect(run.stop?.kind).toBe('over_budget');
    run.says(retry);
    expect(run.step('work')).toMatchObject({ pass: 2, feedback: [{ summary: '2 failed' }] });
  });

  test('E8, B11: a base that was green is not judged again', () => {
    const work = step('work', { work: agent, checks: [tests] });
    const run = play(plan([work], { baseline: 'mustPass' }))
      .opens()
      .baseline(passes('work/tests'));
    run
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'))
      .says(retry);
    expect(run.underWay).toEqual(['attempt work#2.1']);
  });

  test('E8: the same message counts once', () => {
    const run = two()
      .attempts('a', ok({ tree: 'a' }))
      .attempts('b', exited(1))
      .attempts('b', exited(1));
    run.says(retry).says(retry);
    expect(run.all('run.retried').length).toBe(1);
  });
});
