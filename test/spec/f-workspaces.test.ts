import { describe, expect, test } from 'vitest';

import { commandCheck, plan, step } from '../fakes/plans.ts';
import { crashed, fails, ok, passes, quota } from './outcomes.ts';
import { play } from './play.ts';

const reader = { readOnly: true };
const tests = commandCheck('tests');

describe('F7, decision 14: one writer at a time', () => {
  test('F7, decision 14: writers that could run side by side are served in plan order', () => {
    const run = play(plan([step('first'), step('second'), step('third')])).opens();
    expect(run.underWay).toEqual(['attempt first#1.1']);
    expect(run.attempts('first', ok({ tree: 'a' })).underWay).toEqual(['attempt second#1.1']);
    expect(run.attempts('second', ok({ tree: 'b' })).underWay).toEqual(['attempt third#1.1']);
  });

  test('F7, decision 14: readers run beside a writer, each on the snapshot of its start', () => {
    const run = play(plan([step('write'), step('a', reader), step('b', reader)])).opens('base');
    expect(run.underWay).toEqual(['attempt write#1.1', 'attempt a#1.1', 'attempt b#1.1']);
    expect(run.input('a')).toMatchObject({ from: { tree: 'base' }, restore: false });
  });

  test('F7, decision 14: a writer holds the workspace from its attempt until its pass is decided', () => {
    const run = play(plan([step('first', { checks: [tests] }), step('second')])).opens();
    run.attempts('first', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge first#1 (tests)']);
    expect(run.judges('first', passes('tests')).underWay).toEqual(['attempt second#1.1']);
  });

  test("F7, decision 14: it holds it through a wait for a provider's window, and readers go on", () => {
    const run = play(plan([step('first'), step('second'), step('read', reader)])).opens();
    run.attempts('first', quota()).attempts('read', ok());
    expect(run.underWay).toEqual([]);
    expect(run.waits(30).underWay).toEqual(['attempt first#1.2']);
  });

  test("F7, decision 14: a reader's checks need the workspace and wait for the writer", () => {
    const run = play(plan([step('write', { checks: [tests] }), step('read', { ...reader, checks: [tests] })])).opens();
    run.attempts('read', ok());
    expect(run.underWay).toEqual(['attempt write#1.1']);
    run.attempts('write', ok({ tree: 'a' }));
    expect(run.underWay).toEqual(['judge write#1 (tests)']);
    expect(run.judges('write', passes('tests')).underWay).toEqual(['judge read#1 (tests)']);
  });

  test('F7, decision 14: a writer that was cancelled holds the workspace until it has settled', () => {
    const steps = [
      step('source', reader),
      step('write', { after: ['source'] }),
      step('judge', { ...reader, after: ['source'], loop: { ...loop, to: 'source' } }),
    ];
    const run = play(plan(steps)).opens().attempts('source', ok());
    run.attempts('judge', { ...ok(), match: { kind: 'fail', reason: 'no' } });
    run.attempts('source', ok());
    expect(run.underWay).toEqual(['attempt write#1.1', 'attempt judge#2.1']);
    run.endsCancelled('write');
    expect(run.underWay).toEqual(['attempt judge#2.1', 'attempt write#2.1']);
    expect(run.input('write').restore).toBe(true);
  });

  test('F4, decision 14: without a worktree steps run side by side as written', () => {
    const off = { repo: '.', worktree: false, protect: [], keep: [], lane: 'run' as const };
    const run = play(plan([step('first'), step('second')], { workspace: off })).opens();
    expect(run.underWay).toEqual(['attempt first#1.1', 'attempt second#1.1']);
    expect(run.input('first')).not.toHaveProperty('from');
  });
});

const loop = {
  on: 'fail' as const,
  limit: 4,
  wait: { everySeconds: 0, backoff: 1 },
  onExhausted: 'fail' as const,
  inFlight: 'cancel' as const,
};

describe('F2: snapshots', () => {
  test('F2: each attempt builds on the snapshot of the one before', () => {
    const run = play(plan([step('a'), step('b', { after: ['a'] })])).opens('base');
    expect(run.input('a')).toMatchObject({ from: { tree: 'base' }, restore: false });
    run.attempts('a', ok({ tree: 'a' }));
    expect(run.input('b')).toMatchObject({ from: { tree: 'a' }, restore: false });
  });

  test('F2: what does not count is restored from the last one that does, once', () => {
    const run = play(plan([step('a', { checks: [tests], loop: { ...loop, to: 'a' } })])).opens('base');
    run.attempts('a', crashed({ tree: 'half' }));
    expect(run.input('a')).toMatchObject({ from: { tree: 'base' }, restore: true });
    run.attempts('a', ok({ tree: 'a' })).judges('a', fails('tests'));
    expect(run.input('a')).toMatchObject({ from: { tree: 'a' }, restore: false });
  });
});
