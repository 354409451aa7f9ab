import { describe, expect, test } from 'vitest';

import { deliverInput } from '#core/run/work-input.ts';
import { summarise } from '#core/run/summarise.ts';

import { commandCheck, loopTo, plan, step } from '../fakes/plans.ts';
import { fails, ok, passes } from './outcomes.ts';
import { play } from './play.ts';

const branch = { deliver: { mode: 'branch' as const } };
const tests = commandCheck('tests');
const lint = commandCheck('lint');

describe('G1: what happens to the verified result', () => {
  test('G1: `none` delivers nothing and succeeds', () => {
    const run = play(plan([step('work')]))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    expect(run.stop).toEqual({ kind: 'succeeded', reason: 'Every step passed.' });
    expect(run.all('delivery.started')).toEqual([]);
  });

  test('G1: `branch` delivers once every step has passed, and the run tells where', () => {
    const run = play(plan([step('work', { checks: [tests] })], branch))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    expect(run.judges('work', passes('tests')).underWay).toEqual(['@deliver']);
    run.delivers({ mode: 'branch', nothingToDeliver: false, commit: 'c1', branch: 'setpoint/run_1' });
    expect(run.stop).toEqual({ kind: 'succeeded', reason: 'Every step passed; delivered setpoint/run_1.' });
    expect(summarise(run.plan, run.state, 9)).toMatchObject({
      delivery: 'branch',
      commit: 'c1',
      branch: 'setpoint/run_1',
    });
  });

  test('G1: a run that does not succeed delivers nothing', () => {
    const run = play(plan([step('work', { checks: [tests] })], branch))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    expect(run.judges('work', fails('tests')).all('delivery.started')).toEqual([]);
  });

  test('G1, E1: a tree that equals the base succeeds with nothing to deliver', () => {
    const run = play(plan([step('work')], branch))
      .opens('base')
      .attempts('work', ok({ tree: 'base' }));
    expect(run.stop?.kind).toBe('succeeded');
    expect(run.stop?.reason).toContain('nothing to deliver');
    expect(summarise(run.plan, run.state, 9).delivery).toBe('nothing_to_deliver');
    expect(run.all('delivery.started')).toEqual([]);
  });

  test('G1: a cancel lets a delivery that is under way finish', () => {
    const run = play(plan([step('work')], branch))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    run.says({ kind: 'cancel', id: 'm1', reason: 'Stop.' });
    expect(run.cancelled).toEqual([]);
    run.delivers({ mode: 'branch', nothingToDeliver: false, branch: 'b' });
    expect(run.stop?.kind).toBe('cancelled');
  });
});

describe('G2: what is delivered is what passed', () => {
  test('G2: the delivery is given the verified snapshot, the base and the time of the start', () => {
    const run = play(plan([step('work')], branch))
      .opens('base')
      .attempts('work', ok({ tree: 'a' }));
    expect(deliverInput(run.facts, run.state)).toMatchObject({
      verified: { tree: 'a' },
      workspace: { base: { tree: 'base' } },
      atMs: run.state.startedAt,
    });
  });

  test('G2: checks whose tree was changed by a later step are judged again before delivery', () => {
    const steps = [step('work', { checks: [tests, lint] }), step('format', { after: ['work'] })];
    const run = play(plan(steps, branch))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    run.judges('work', passes('tests'), passes('lint')).attempts('format', ok({ tree: 'formatted' }));
    expect(run.last('step.reopened')).toMatchObject({ step: 'work', pass: 1 });
    expect(run.underWay).toEqual(['judge work#1 (tests, lint)']);
    expect(run.judges('work', passes('tests'), passes('lint')).underWay).toEqual(['@deliver']);
  });

  test('G2: a later step that changed nothing costs no second judging', () => {
    const steps = [step('work', { checks: [tests] }), step('report', { after: ['work'] })];
    const run = play(plan(steps, branch))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', passes('tests'));
    expect(run.attempts('report', ok({ tree: 'a' })).underWay).toEqual(['@deliver']);
  });

  test('G2: checks that fail on the final tree loop the work, and nothing is delivered', () => {
    const steps = [step('work', { checks: [tests], loop: loopTo('work') }), step('format', { after: ['work'] })];
    const run = play(plan(steps, branch))
      .opens()
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', passes('tests'));
    run.attempts('format', ok({ tree: 'broken' })).judges('work', fails('tests'));
    expect(run.last('loop.fired').reset).toEqual(['work', 'format']);
    expect(run.underWay).toEqual(['attempt work#2.1']);
  });

  test("G2: a reader's verdicts rest on the tree that it read, and are judged again on the final one", () => {
    const steps = [step('inspect', { readOnly: true, checks: [tests] }), step('write')];
    const run = play(plan(steps, branch))
      .opens('base')
      .attempts('write', ok({ tree: 'a' }))
      .attempts('inspect', ok());
    run.judges('inspect', passes('tests'));
    expect(run.last('checks.finished').tree).toBe('base');
    expect(run.underWay).toEqual(['judge inspect#1 (tests)']);
    run.judges('inspect', passes('tests'));
    expect(run.last('checks.finished').tree).toBe('a');
    expect(run.underWay).toEqual(['@deliver']);
  });

  test('G2: protected files are held against the final tree too', () => {
    const workspace = { repo: '.', worktree: true, protect: ['test/**'], keep: [], lane: 'run' as const };
    const agent = {
      kind: 'agent' as const,
      prompt: 'Do it.',
      agent: { name: 'codex', session: 'fresh' as const, fallback: [] },
    };
    const steps = [step('work', { work: agent }), step('format', { after: ['work'] })];
    const run = play(plan(steps, { ...branch, workspace }))
      .opens()
      .attempts('work', ok({ tree: 'a' }));
    run.judges('work', passes('protected files')).attempts('format', ok({ tree: 'b' }));
    run.judges('work', fails('protected files', 'test/a.test.ts was modified: put it back'));
    expect(run.stop?.kind).toBe('failed');
  });
});
