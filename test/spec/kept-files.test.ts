import { expect, test } from 'vitest';
import { may } from '#core/run/may.ts';
import { next } from '#core/run/next.ts';
import { wakeAt } from '#core/run/limits.ts';
import { plan, step } from '../fakes/plans.ts';
import { ended, ok } from './outcomes.ts';
import { play } from './play.ts';

const keeping = (limits: object = {}) =>
  plan([step('work')], {
    keepBetweenRuns: ['.state/**'],
    deliver: { mode: 'branch' },
    limits: { noProgress: 2, onTime: 'fail', onSpend: 'pause', ...limits },
  });

test('D-23, G1: files are kept once every step has passed, before the delivery takes the worktree away', () => {
  const run = play(keeping())
    .opens()
    .attempts('work', ok({ tree: 'a' }));
  expect(run.underWay).toEqual(['@keepFiles']);
  run.keeps(2);
  expect(run.underWay).toEqual(['@deliver']);
  run.delivers({ mode: 'branch', nothingToDeliver: false, commit: 'c', branch: 'b' });
  expect(run.stop?.kind).toBe('succeeded');
});

test('D-23, E1: no limit takes back what has passed and is being kept, and no clock ticks for one', () => {
  const run = play(keeping({ deadlineSeconds: 60 }))
    .opens()
    .attempts('work', ok({ tree: 'a' }));
  run.waits(120);
  expect(run.underWay).toEqual(['@keepFiles']);
  expect(next(run.plan, run.state)).toEqual([]);
  expect(wakeAt(run.plan, run.state)).toBeUndefined();
  expect(run.keeps().delivers({ mode: 'branch', nothingToDeliver: false }).stop?.kind).toBe('succeeded');
});

test('D-23, E3: nothing is pushed back any more once files are being kept', () => {
  const run = play(keeping())
    .opens()
    .attempts('work', ok({ tree: 'a' }));
  const remark = { by: 'ada', comment: 'no', text: { sha256: 'x', bytes: 1, excerpt: 'no' } };
  const answer = may(run.plan, run.state, { kind: 'pushBack', id: 'm', step: 'work', remark });
  expect(answer).toMatchObject({ kind: 'refused', code: 'run/busy' });
});

test('D-23: a run that fails keeps its files, too, and what cannot be kept costs it nothing', () => {
  const failed = play(keeping())
    .opens()
    .attempts('work', ended({ kind: 'failed', reason: 'no' }, { tree: 'a' }));
  expect(failed.underWay).toEqual(['@keepFiles']);
  expect(failed.keeps().stop?.kind).toBe('failed');
  const run = play(keeping())
    .opens()
    .attempts('work', ok({ tree: 'a' }));
  run.faults('@keepFiles', 'workspace/kept-too-large');
  expect(run.underWay).toEqual(['@deliver']);
});
