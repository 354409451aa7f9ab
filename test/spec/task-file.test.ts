import { describe, expect, test } from 'vitest';

import { exitCodeOf } from '#core/run/stop.ts';
import { excerptCharacters } from '#core/text/excerpt.ts';
import { compileText } from '#dialects/parse.ts';

import { exited, fails, ok, passes, refused, timedOut } from './outcomes.ts';
import { play, type Play } from './play.ts';

/** Task files of the dialect, played: the law runs what their text says. */
function playTask(more: object = {}): Play {
  const task = { goal: 'Mend it.', verification: [{ name: 'tests', command: 'npm test' }], ...more };
  const compiled = compileText({ text: JSON.stringify(task), dialect: 'task-file' });
  if (compiled.kind === 'issues') throw new TypeError(JSON.stringify(compiled.issues));
  return play(compiled.plan);
}

const opened = (more: object = {}): Play => playTask(more).opens();
const failing = (run: Play, tree: string): Play =>
  run.attempts('work', ok({ tree })).judges('work', fails('tests', `${tree} fails`));

describe('task files, played', () => {
  test('T-01: success only when the agent exits successfully and every gate passes', () => {
    expect(
      opened()
        .attempts('work', ok({ tree: 'a' }))
        .judges('work', passes('tests')).stop?.kind,
    ).toBe('succeeded');
    const dirty = opened()
      .attempts('work', exited(1, { tree: 'a' }))
      .judges('work', passes('tests'));
    expect(dirty.underWay).toEqual(['attempt work#2.1']);
    expect(failing(opened(), 'a').underWay).toEqual(['attempt work#2.1']);
  });

  test('T-05: all gates are asked each pass, a reviewer too after a command failed, and the next pass hears each', () => {
    const verification = [
      { name: 'tests', command: 'npm test' },
      { type: 'agent', name: 'review', provider: 'claude', prompt: 'It is small.' },
    ];
    const run = opened({ verification })
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', fails('tests'));
    expect(run.underWay).toEqual(['review work#1 (review)']);
    run.reviews('work', fails('review').verdict);
    expect(run.input('work').scope.feedback.map(({ check }) => check)).toEqual(['tests', 'review']);
  });

  test('T-08: an attempt that runs out of its time has failed; its gates are asked, and it is told', () => {
    const run = opened({ limits: { timeoutSeconds: 60 } }).attempts('work', timedOut(60, { tree: 'a' }));
    run.judges('work', fails('tests'));
    expect(run.underWay).toEqual(['attempt work#2.1']);
    expect(run.input('work').scope.feedback.map(({ check }) => check)).toEqual([undefined, 'tests']);
  });

  test('T-08: what is found reaches the next pass in as many characters as the file says, else 12,000', () => {
    const charactersOf = (more: object) => opened(more).input('work').scope.feedbackChars ?? excerptCharacters;
    expect([charactersOf({}), charactersOf({ limits: { maxOutputChars: 4000 } })]).toEqual([12_000, 4000]);
  });

  test('T-04: a session goes on in the next pass and in a run that is taken up again, only where the file resumes it', () => {
    const sessions = (more: object): unknown[] => {
      const run = opened({ ...more, limits: { maxIterations: 2 } });
      run.attempts('work', ok({ tree: 'a', session: 's1' })).judges('work', fails('tests'));
      const second = run.input('work').session;
      run.attempts('work', ok({ tree: 'b', session: 's1' })).judges('work', fails('tests', 'other'));
      expect(run.stop?.kind).toBe('exhausted');
      run.says({ kind: 'retry', id: 'again', by: 'ann' });
      expect(run.underWay).toEqual(['attempt work#3.1']);
      return [second, run.input('work').session];
    };
    expect(sessions({ sessionStrategy: 'resume' })).toEqual(['s1', 's1']);
    expect(sessions({ sessionStrategy: 'fresh' })).toEqual([undefined, undefined]);
    expect(sessions({})).toEqual([undefined, undefined]);
  });

  test('T-11: what the agent’s own end said stands before what the gates found', () => {
    const run = opened()
      .attempts('work', exited(3, { tree: 'a' }))
      .judges('work', fails('tests', '2 failed'));
    expect(run.input('work').scope.feedback).toMatchObject([
      { step: 'work', pass: 1, summary: expect.stringContaining('exit 3') },
      { step: 'work', pass: 1, check: 'tests', summary: '2 failed' },
    ]);
  });

  const ends: [word: string, stop: string, code: number, run: () => Play][] = [
    [
      'success',
      'succeeded',
      0,
      () =>
        opened()
          .attempts('work', ok({ tree: 'a' }))
          .judges('work', passes('tests')),
    ],
    ['no_progress', 'no_progress', 1, () => ['a', 'a', 'a'].reduce(sameFailure, opened())],
    ['max_iterations', 'exhausted', 1, () => ['a', 'b', 'c', 'd', 'e'].reduce(failing, opened())],
    ['failed_to_start', 'failed_to_start', 5, () => playTask().faults('@openWorkspace', 'workspace/unknown-base')],
    [
      'timeout',
      'timed_out',
      1,
      () =>
        timed()
          .later(100)
          .attempts('work', ok({ tree: 'a' })),
    ],
    [
      'cancelled',
      'cancelled',
      4,
      () => opened().says({ kind: 'cancel', id: 'c', reason: 'Not needed.' }).endsCancelled('work'),
    ],
    ['provider_error', 'provider_error', 5, () => opened().attempts('work', refused())],
    ['delivery_failed', 'delivery_failed', 5, () => undelivered()],
  ];
  const sameFailure = (run: Play, tree: string): Play =>
    run.attempts('work', ok({ tree })).judges('work', fails('tests'));
  /** No key of a task file bounds the whole run; its native form can. */
  const timed = (): Play => {
    const { plan } = playTask();
    return play({ ...plan, limits: { ...plan.limits, timeSeconds: 60 } }).opens();
  };
  const undelivered = (): Play =>
    opened({ delivery: { mode: 'commit' } })
      .attempts('work', ok({ tree: 'a' }))
      .judges('work', passes('tests'))
      .faults('@deliver', 'delivery/failed');

  test.each(ends)('T-10, T-25: the end `%s` is %s, exit %i', (_word, kind, code, run) => {
    const { stop } = run();
    expect(stop?.kind).toBe(kind);
    expect(stop === null ? undefined : exitCodeOf(stop.kind)).toBe(code);
  });

  test('T-10: a commit on the same tree is progress, and `maxNoProgress` says how often none is enough', () => {
    const pass = (run: Play, head: string): Play =>
      run.attempts('work', ok({ tree: 'a', head })).judges('work', fails('tests'));
    expect(['one', 'two', 'three', 'four'].reduce(pass, opened()).stop).toBeNull();
    const patient = ['one', 'one', 'one'].reduce(pass, opened({ limits: { maxNoProgress: 3 } }));
    expect(patient.stop).toBeNull();
    expect(pass(patient, 'one').stop?.kind).toBe('no_progress');
  });

  test('T-10: a tree that changes, or other findings, are progress', () => {
    const run = ['a', 'b'].reduce(failing, opened());
    expect(run.stop).toBeNull();
    const findings = ['one', 'two', 'three'].reduce(
      (now, summary) => now.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests', summary)),
      opened(),
    );
    expect(findings.stop).toBeNull();
  });
});
