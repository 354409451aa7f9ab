import { describe, expect, test } from 'vitest';

import type { CheckPlan } from '#core/check/check-plan.ts';
import { judgeInput } from '#core/run/work-input.ts';
import type { Plan } from '#core/plan/plan.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { fails, isMissing, type Judged, ok, passes } from './outcomes.ts';
import { play, type Play } from './play.ts';

const agent = scriptedAgent(['true']);
const file = '.setpoint-report.json';
const worklist: CheckPlan = {
  kind: 'report',
  name: 'list',
  needs: 'always',
  timeSeconds: 60,
  file,
  wants: { kind: 'worklist' },
};
const made: CheckPlan = { ...worklist, name: 'made', wants: { kind: 'artifact', path: 'a.md' } };

function worked(checks: CheckPlan[], change: Partial<Plan> = {}): Play {
  return play(plan([step('work', { work: agent, checks, loop: loopTo('work') })], change)).opens();
}
const judging = (run: Play, checks: string[], pass = 1) =>
  judgeInput(run.facts, run.state, { do: 'judge', step: 'work', pass, round: 1, checks });
const report = (sha256: string) => ({ [file]: { sha256, bytes: 1, excerpt: '' } });

describe('B7: reports', () => {
  test('B7: an attempt is told its report files once each, and its checks get what it reported', () => {
    const run = worked([worklist, made]);
    expect(run.input('work').reportFiles).toEqual([file]);
    run.attempts('work', { ...ok({ tree: 'a' }), reports: report('one') });
    expect(judging(run, ['list', 'made']).reports).toEqual(report('one'));
  });

  test('B7: the open worklist goes on into the next pass, where only what that pass reports counts', () => {
    const run = worked([worklist]);
    expect(run.input('work').worklist).toBeUndefined();
    run.attempts('work', { ...ok({ tree: 'a' }), reports: report('one') }).judges('work', fails('list'));
    expect(run.input('work').worklist).toMatchObject({ sha256: 'one' });
    run.attempts('work', { ...ok({ tree: 'b' }), reports: {} });
    expect(judging(run, ['list'], 2).reports).toEqual({});
    expect(run.judges('work', isMissing('list')).step('work').pass).toBe(3);
  });

  test('B7: an artifact alone carries nothing', () => {
    const run = worked([made]).attempts('work', { ...ok({ tree: 'a' }), reports: report('one') });
    expect(run.judges('work', fails('made')).input('work').worklist).toBeUndefined();
  });
});

describe('B11: newFailuresOnly', () => {
  const base = (...verdicts: Judged[]) =>
    worked([commandCheck('tests'), commandCheck('lint')], { baseline: 'newFailuresOnly' }).baseline(...verdicts);

  test('B11: what failed on the base goes with the checks that are compared with it, and the brief says so', () => {
    const red = fails('work/tests');
    red.verdict.evidence = { ...red.verdict.evidence, exitCode: 1, failing: ['old.test'] };
    const run = base(red, passes('work/lint'));
    expect(run.input('work').brief.newFailuresOnly).toBe(true);
    run.attempts('work', ok({ tree: 'a' }));
    const found = { exitCode: 1, digest: 'fail:exit 1', failing: ['old.test'] };
    expect(judging(run, ['tests', 'lint']).base).toEqual({ tests: found });
  });

  test('B11: a base without failures, with none that could be judged, or another policy compares nothing', () => {
    const green = base(passes('work/tests'), isMissing('work/lint')).attempts('work', ok({ tree: 'a' }));
    expect(judging(green, ['tests']).base).toBeUndefined();
    const told = worked([commandCheck('tests')], { baseline: 'report' }).baseline(fails('work/tests'));
    expect(told.input('work').brief.newFailuresOnly).toBeUndefined();
    expect(judging(told.attempts('work', ok({ tree: 'a' })), ['tests']).base).toBeUndefined();
  });
});

test('A5, A9: a check that reads an output is told whether an agent gave it, and what it may have printed back', () => {
  const match: CheckPlan = { kind: 'match', name: 'said', needs: 'always', timeSeconds: 60, of: 'work', pass: 'ok' };
  const echoed = { sha256: 'prompt', bytes: 1, excerpt: '' };
  const run = worked([match]).attempts('work', { ...ok({ tree: 'a' }), agent: 'scripted', echoed });
  expect(judging(run, ['said']).heard).toEqual({ work: { echoed } });
  const command = play(plan([step('work', { checks: [match] })]))
    .opens()
    .attempts('work', ok({ tree: 'a' }));
  expect(judging(command, ['said']).heard).toBeUndefined();
});
