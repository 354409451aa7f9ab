import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { compileText } from '#dialects/parse.ts';

import { cannotRun, fails, isMissing, ok, passes } from './outcomes.ts';
import { play, type Play } from './play.ts';

const check = { type: 'test', name: 'tests', command: 'npm test' };
const loop = { prompt: 'Mend it.', agent: 'codex', checks: [check] };

function planOf(more: object): Plan {
  const text = JSON.stringify({ ...loop, ...more });
  const compiled = compileText({ text, file: 'mend.json', dialect: 'exit-checks' });
  if (compiled.kind === 'issues') throw new TypeError(JSON.stringify(compiled.issues));
  return compiled.plan;
}

/** Loops with exit checks, played: the law runs what their text says. */
const opened = (more: object = {}): Play => play(planOf(more)).opens();
const delivered = { mode: 'branch' as const, nothingToDeliver: false, commit: 'c', branch: 'setpoint/run_1' };
/** The next pass, after the lane that it works in is there. */
const attempted = (run: Play, tree: string): Play => {
  if (run.underWay.includes('@openWorkspace')) run.opens(tree);
  return run.attempts('work', ok({ tree }));
};
const failing = (run: Play, tree: string): Play => attempted(run, tree).judges('work', fails('tests', tree));
const isAnotherPass = (run: Play): boolean => run.last('loop.fired').step === 'work' && run.stop === null;
const edit = (more: object) => ({ kind: 'edit' as const, id: JSON.stringify(more), by: 'ann', plan: planOf(more) });

describe('a loop with exit checks, played', () => {
  test('E-02, E-03: under `all` every check must pass, under `any` one is enough; all are evaluated', () => {
    const checks = [check, { type: 'command', name: 'lint', command: 'npm run lint' }];
    const ended = (exitMode: string, ...verdicts: ReturnType<typeof passes>[]) =>
      attempted(opened({ checks, exitMode }), 'a').judges('work', ...verdicts);
    expect(attempted(opened({ checks }), 'a').underWay).toEqual(['judge work#1 (tests, lint)']);
    expect(ended('all', passes('tests'), passes('lint')).underWay).toEqual(['@deliver']);
    expect(isAnotherPass(ended('all', passes('tests'), fails('lint')))).toBe(true);
    expect(ended('any', fails('tests'), passes('lint')).underWay).toEqual(['@deliver']);
    expect(isAnotherPass(ended('any', fails('tests'), fails('lint')))).toBe(true);
  });

  test('E-07: pass, fail and no evidence are verdicts, an error is none and never passes', () => {
    const checks = [
      { type: 'artifact', name: 'report', path: 'docs/report.md' },
      { type: 'worklist', name: 'list' },
    ];
    const judged = (exitMode: string, ...verdicts: ReturnType<typeof passes>[]) =>
      attempted(opened({ checks, exitMode }), 'a').judges('work', ...verdicts);
    expect(judged('all', passes('report'), passes('list')).underWay).toEqual(['@deliver']);
    for (const exitMode of ['all', 'any']) {
      expect(isAnotherPass(judged(exitMode, isMissing('report'), fails('list')))).toBe(true);
      const broken = judged(exitMode, cannotRun('report'), fails('list'));
      for (let tries = 0; tries < 2; tries += 1) broken.judges('work', cannotRun('report'));
      expect(broken.all('loop.fired')).toEqual([]);
      expect(broken.paused?.code).toBe('check_error');
    }
  });

  test('E-04: a goal passes after as many passed passes in a row as the file says; an edit begins the count anew', () => {
    const goal = { type: 'nl-goal', name: 'goal', goal: 'It reads well.', consecutive: 2 };
    const judged = (run: Play, tree: string): Play => attempted(run, tree).reviews('work', passes('goal').verdict);
    const run = judged(opened({ checks: [goal] }), 'a');
    expect(isAnotherPass(run)).toBe(true);
    expect(judged(run, 'b').underWay).toEqual(['@deliver']);
    const edited = judged(opened({ checks: [goal] }), 'a').says(edit({ checks: [goal], prompt: 'Mend it well.' }));
    expect(isAnotherPass(judged(edited, 'b'))).toBe(true);
    expect(judged(edited, 'c').underWay).toEqual(['@deliver']);
    const once = judged(opened({ checks: [{ ...goal, consecutive: undefined }] }), 'a');
    expect(once.underWay).toEqual(['@deliver']);
  });

  test('E-09, E-16: at its cap it pauses with the reason and the remedy; a resume is refused until the cap is raised', () => {
    const run = ['a', 'b'].reduce(failing, opened({ maxIterations: 2 }));
    expect(run.paused).toMatchObject({
      code: 'exhausted',
      remedy: expect.stringContaining('setpoint raise run_1 --passes'),
    });
    expect(run.answers({ kind: 'resume', id: 'r', by: 'ann' })).toMatchObject({ code: 'run/cause-holds' });
    run.says({ kind: 'raise', id: 'up', by: 'ann', limits: { passes: 3 } });
    expect([run.paused, attempted(run, 'c').underWay]).toEqual([null, ['judge work#3 (tests)']]);
  });

  test('E-15, E-19: a pause lets the attempt and its evaluation end, and no further pass begins', () => {
    for (const [stops, goesOn] of [
      [
        { kind: 'pause', id: 'p', by: 'ann' },
        { kind: 'resume', id: 'r', by: 'ann' },
      ],
      [
        { kind: 'hold', id: 'h', source: 'nightly' },
        { kind: 'release', id: 'o', source: 'nightly' },
      ],
    ] as const) {
      const run = opened().says(stops);
      expect(run.underWay).toEqual(['attempt work#1.1']);
      failing(run, 'a');
      expect([run.underWay, run.step('work').pass]).toEqual([[], 2]);
      expect(attempted(run.says(goesOn), 'b').underWay).toEqual(['judge work#2 (tests)']);
    }
  });

  test('E-17: task, checks, `whenCapHit`, max spend and max time may be edited, and count from the next pass', () => {
    const checks = [check, { type: 'command', name: 'lint', command: 'npm run lint' }];
    const edited = { prompt: 'Mend it well.', checks, whenCapHit: 'fail', maxSpendUsd: 9, maxTimeMinutes: 90 };
    const run = opened().says(edit(edited));
    expect(run.input('work').step.work).toMatchObject({ prompt: 'Mend it.' });
    expect(run.attempts('work', ok({ tree: 'a' })).underWay).toEqual(['judge work#1 (tests)']);
    run.judges('work', fails('tests'));
    attempted(run, 'b');
    expect(run.input('work').step.work).toMatchObject({ prompt: 'Mend it well.' });
    expect(run.underWay).toEqual(['judge work#2 (tests, lint)']);
    const alone = Object.entries(edited).map(
      ([key, value]) => `${key} ${opened().answers(edit({ [key]: value })).kind}`,
    );
    expect(alone).toEqual(Object.keys(edited).map((key) => `${key} applied`));
  });

  test.each([
    ['memory', { memory: 'carry' }, /`steps\.work\.agent` cannot change/],
    ['the agent', { agent: 'claude' }, /`steps\.work\.agent` cannot change/],
    ['the target branch', { baseBranch: 'other' }, /`workspace` cannot change/],
  ])('E-17: %s is refused', (_what, change, told) => {
    expect(opened().answers(edit(change))).toMatchObject({
      kind: 'refused',
      code: 'edit/not-allowed',
      message: expect.stringMatching(told),
    });
  });

  test('E-18: a cancel ends the running attempt, begins no other, and counts once that attempt has ended', () => {
    const run = opened().says({ kind: 'cancel', id: 'c', by: 'ann', reason: 'Not needed.' });
    expect([run.cancelled, run.stop]).toEqual([['work'], null]);
    expect(run.endsCancelled('work').stop?.kind).toBe('cancelled');
    expect(run.underWay).toEqual([]);
  });

  test('E-25: succeeded, failed and cancelled are final', () => {
    const ends = {
      succeeded: attempted(opened(), 'a').judges('work', passes('tests')).delivers(delivered),
      exhausted: failing(opened({ maxIterations: 1, whenCapHit: 'fail' }), 'a'),
      cancelled: opened().says({ kind: 'cancel', id: 'c', by: 'ann', reason: 'x' }).endsCancelled('work'),
    };
    const messages = [
      { kind: 'resume', id: 'r', by: 'ann' },
      { kind: 'raise', id: 'u', by: 'ann', limits: { passes: 99 } },
      { kind: 'pause', id: 'p', by: 'ann' },
      edit({ prompt: 'Other.' }),
    ] as const;
    for (const [kind, run] of Object.entries(ends)) {
      expect(run.stop?.kind).toBe(kind);
      expect(messages.map((message) => run.answers(message).kind)).toEqual(messages.map(() => 'refused'));
    }
  });
});
