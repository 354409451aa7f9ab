import { describe, expect, test } from 'vitest';

import type { ConditionOutcome } from '#core/check/condition.ts';
import type { LoopPlan } from '#core/plan/plan.ts';

import { loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { exited, met, ok, timedOut, unclear, unmet } from './outcomes.ts';
import { play, type Play } from './play.ts';

const condition = { command: 'npm test', compare: 'auto' as const, returns: 'true', timeSeconds: 60 };

type Repeat = NonNullable<LoopPlan['repeat']>;

/** A prompt step whose condition is asked after it, and a step after it. */
function prompted(repeat: Partial<Repeat>, change: Partial<LoopPlan> = {}): Play {
  const loop = loopTo('ask', {
    on: 'pass',
    limit: 2,
    repeat: { mode: 'until', condition, onError: 'unmet', ...repeat },
    ...change,
  });
  return play(
    plan([step('ask', { work: scriptedAgent(['true']), loop }), step('next', { after: ['ask'] })], {
      limits: { noProgress: 0, onTime: 'fail', onSpend: 'fail' },
    }),
  ).opens();
}

const answered = (run: Play, outcome: ConditionOutcome): Play => run.attempts('ask', ok()).evaluates('ask', outcome);
const goesOn = ['attempt next#1.1'];
const again = ['attempt ask#2.1'];

describe('C5: what a judged condition leads to', () => {
  test.each([
    ['continue', 'retry', met, goesOn],
    ['continue', 'retry', unmet, again],
    ['continue', 'continue', unmet, goesOn],
    ['retry', 'continue', met, again],
    ['retry', 'continue', unmet, goesOn],
    ['retry', 'retry', met, again],
    ['retry', 'retry', unmet, again],
  ] as const)('C-04: onPass %s, onFail %s', (onPass, onFail, outcome, expected) => {
    const action = { continue: 'continue', retry: 'again' } as const;
    const run = answered(prompted({ met: action[onPass], unmet: action[onFail] }), outcome);
    expect(run.underWay).toEqual(expected);
  });

  test.each([
    ['met', met, 'is met (it gave 0)'],
    ['unmet', unmet, 'is not met (it gave 1)'],
  ] as const)('C-04: stopWorkflow on %s stops the run as failed, continueOnError or not', (side, outcome, told) => {
    const run = answered(prompted({ [side]: 'stop' }), outcome);
    expect(run.stop).toMatchObject({ kind: 'failed', reason: expect.stringContaining(told) });
  });

  test('C-02: a step that crashed fails by itself; its condition is not asked', () => {
    expect(prompted({}).attempts('ask', exited(1)).stop).toMatchObject({ kind: 'failed' });
  });

  test('C-07, C-08, C-09: one budget for both; while it is met running out succeeds', () => {
    const both = { met: 'again', unmet: 'again' } as const;
    const limits = { limit: 2, onExhausted: 'fail', onExhaustedMet: 'succeed' } as const;
    const passing = prompted(both, limits);
    for (const outcome of [met, unmet, met]) answered(passing, outcome);
    expect(passing.underWay).toEqual(['attempt next#3.1']);
    const failing = prompted(both, limits);
    for (const outcome of [met, met, unmet]) answered(failing, outcome);
    expect(failing.stop).toMatchObject({ kind: 'exhausted' });
  });

  test('C-14: the fail budget used up fails the step, and the run', () => {
    const run = prompted({});
    for (let pass = 0; pass < 3; pass += 1) answered(run, unmet);
    expect(run.stop).toMatchObject({ kind: 'exhausted' });
    expect(run.last('step.failed').reason).toBe(
      'Its condition is still not met (it gave 1) (feedback loop limit of 2 reached)',
    );
  });

  test('C-13: an error is asked twice more, and is then taken for unmet where the plan says so', () => {
    const run = answered(prompted({}), unclear).evaluates('ask', unclear);
    expect(run.underWay).toEqual(['repeat ask#1']);
    expect(run.evaluates('ask', unclear).underWay).toEqual(again);
  });

  test('D-16: an error is not the opposite of met: it pauses where the plan says nothing', () => {
    const run = answered(prompted({ onError: 'pause', met: 'again', unmet: 'continue' }), unclear);
    expect(run.evaluates('ask', unclear).evaluates('ask', unclear).paused).toMatchObject({ code: 'condition_error' });
  });
});

describe('C6: the words of the next pass', () => {
  const prompts = { fail: 'It failed:\n{{condition.stderr}}', pass: 'It still passes.' };
  const both = { met: 'again', unmet: 'again' } as const;

  test.each([
    ['C-05', unmet, prompts.fail],
    ['C-06', met, prompts.pass],
  ] as const)('%s: the condition says which prompt is asked', (_id, outcome, prompt) => {
    const run = answered(prompted(both, { prompts }), outcome);
    expect(run.input('ask').step.work).toMatchObject({ prompt });
  });

  test('C-06: without words of its own the step is asked again as before', () => {
    const run = answered(prompted(both, { prompts: { fail: 'It failed.' } }), met);
    expect(run.input('ask').step.work).toMatchObject({ prompt: 'Do it.' });
  });

  test('C-12: the next pass, and only it, is told what the condition found', () => {
    const text = { sha256: 'text', bytes: 4, excerpt: '' };
    const found = {
      stdout: text,
      stderr: text,
      exitCode: 1,
      actual: 'false',
      expected: 'true',
      compareSource: 'auto' as const,
    };
    const run = answered(prompted(both, { prompts }), { ...unmet, found });
    expect(run.input('ask').scope.condition).toEqual(found);
    expect(answered(run, met).input('ask').scope.condition).toBeUndefined();
  });
});

describe('C5: judged by the exit code of the attempt itself', () => {
  const byExit = (mode: Repeat['mode'], exitCodes: number[], change: Partial<LoopPlan> = {}) =>
    play(
      plan([
        step('poll', {
          loop: loopTo('poll', { on: 'always', repeat: { mode, exitCodes, onError: 'pause' }, ...change }),
        }),
      ]),
    ).opens();

  const ended = { 'exit 0': ok(), 'exit 3': exited(3), 'exit 4': exited(4), 'a time-out': timedOut(5) };

  test.each([
    ['until', 0, 'exit 0', false],
    ['until', 0, 'exit 3', true],
    ['until', 3, 'exit 3', false],
    ['while', 3, 'exit 3', true],
    ['while', 3, 'exit 4', false],
    ['until', 0, 'a time-out', true],
  ] as const)('D-03: %s %d, after %s', (mode, code, how, repeats) => {
    const run = byExit(mode, [code]).attempts('poll', ended[how]);
    expect(run.underWay).toEqual(repeats ? ['attempt poll#2.1'] : []);
  });

  test.each([
    ['succeeded', ok()],
    ['failed', exited(1)],
  ] as const)('D-04: a limit that does not judge leaves the word to the last attempt: %s', (kind, result) => {
    const run = byExit('until', [9], { limit: 1, limitJudges: false, onExhausted: 'pause' });
    expect(run.attempts('poll', ok()).attempts('poll', result).stop?.kind).toBe(kind);
  });
});
