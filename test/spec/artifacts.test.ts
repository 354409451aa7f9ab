import { expect, test } from 'vitest';

import { forkPoint } from '#core/run/fork.ts';
import { openWorkspaceInput } from '#core/run/people-input.ts';
import { evaluateInput } from '#core/run/work-input.ts';

import { loopTo, plan, step } from '../fakes/plans.ts';
import { ended, ok } from './outcomes.ts';
import { play } from './play.ts';

const list = (name: string) => ({ sha256: name, bytes: 1, excerpt: '' });
const folder = { artifacts: true };

test('D-06, F3: what an attempt left in the folder of artifacts is known to all that comes after it', () => {
  const run = play(plan([step('work'), step('next', { after: ['work'] })], folder)).opens();
  expect(run.input('work').workspace.artifacts).toEqual({ path: '/artifacts' });
  expect(run.input('work').scope.run).toMatchObject({ artifacts: '/artifacts' });
  run.attempts('work', { ...ok({ tree: 'a' }), artifacts: list('one') });
  expect(run.input('next').workspace.artifacts).toEqual({ path: '/artifacts', kept: list('one') });
});

test('D-06: it is not set back with the tree: what a failed pass left there stays', () => {
  const run = play(plan([step('work', { loop: loopTo('work') })], folder)).opens();
  run.attempts('work', { ...ended({ kind: 'failed', reason: 'no' }), artifacts: list('of a failure') });
  expect(run.input('work').workspace.artifacts?.kept).toEqual(list('of a failure'));
});

test('E8: a fork begins with the folder as it was after the pass that it goes on from', () => {
  const forked = plan([step('work'), step('next', { after: ['work'] })], folder);
  const run = play(forked).opens();
  run.attempts('work', { ...ok({ tree: 'a' }), artifacts: list('one') });
  run.attempts('next', { ...ok({ tree: 'b' }), artifacts: list('two') });
  const events = run.events.map((event, index) => ({ seq: index + 1, event }));
  const point = forkPoint(forked, events, { step: 'work', pass: 1 });
  if (point.kind !== 'found') throw new TypeError('there is such a pass');
  expect(openWorkspaceInput(run.facts, point.state).artifacts).toEqual({ kept: list('one') });
});

test('a run whose plan asks for no folder has none', () => {
  const run = play(plan([step('work')]));
  expect(openWorkspaceInput(run.facts, run.state)).not.toHaveProperty('artifacts');
  run.opens();
  expect(run.input('work').workspace).not.toHaveProperty('artifacts');
  expect(run.input('work').scope.run).not.toHaveProperty('artifacts');
});

test('V-20: the base is told as the plan names it, else as its commit; named outputs as paths in their step’s output', () => {
  const outputs = { score: 'result.score' };
  const steps = [step('work', { outputs }), step('next', { after: ['work'] })];
  const run = play(plan(steps)).opens('base');
  run.attempts('work', ok({ tree: 'a' }));
  const { scope } = run.input('next');
  expect(scope.run.base).toBe(run.state.workspace.base?.commit);
  expect(scope.named).toEqual({
    // Every activity carries it: the excerpt would be carried once for each name.
    'work.outputs.score': { of: { sha256: 'out', bytes: 1, excerpt: '' }, path: 'result.score' },
  });
  const { workspace } = plan(steps);
  const named = play(plan(steps, { workspace: { ...workspace, base: 'main' } })).opens();
  expect(named.input('work').scope.run.base).toBe('main');
});

test('D-01, D-24: a condition is asked with the folder, the variables and the secrets of its step', () => {
  const condition = { command: 'true', compare: 'auto', returns: 'true', timeSeconds: 60 } as const;
  const repeat = { mode: 'until', condition, onError: 'pause' } as const;
  const own = { env: { A: '{{run.id}}' }, secrets: ['TOKEN'], directory: 'web' };
  const run = play(plan([step('work', { ...own, loop: loopTo('work', { on: 'always', repeat }) })])).opens();
  run.attempts('work', ok({ tree: 'a' }));
  const work = { do: 'evaluate', step: 'work', pass: 1, purpose: 'repeat' } as const;
  expect(evaluateInput(run.facts, run.state, work)).toMatchObject(own);
});
