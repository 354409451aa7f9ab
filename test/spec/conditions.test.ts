import { describe, expect, test } from 'vitest';

import type { ConditionOutcome } from '#core/check/condition.ts';
import { compileText } from '#dialects/parse.ts';

import { exited, met, ok, unclear, unmet } from './outcomes.ts';
import { play, type Play } from './play.ts';

/** Workflows of prompts with conditions, played: the law runs what their text says. */
function playSteps(...steps: object[]): Play {
  const compiled = compileText({ text: JSON.stringify({ agent: 'codex', steps }), dialect: 'conditions' });
  if (compiled.kind === 'issues') throw new TypeError(JSON.stringify(compiled.issues));
  return play(compiled.plan).opens();
}

const script = { script: 'npm test', returns: 'true' };
const ending = (more: object): Play =>
  playSteps({ prompt: 'Do it.', endCondition: { ...script, ...more } }, { prompt: 'Go on.' });

/** The prompt is answered and its end condition judged, as often as outcomes are given. */
function answered(run: Play, ...outcomes: ConditionOutcome[]): Play {
  for (const outcome of outcomes) run.attempts('step-1', ok()).evaluates('step-1', outcome);
  return run;
}

/** What is asked of the agent of the first step. */
function prompted(run: Play): string {
  const { work } = run.input('step-1').step;
  return work.kind === 'agent' ? work.prompt : '';
}

const isNext = (run: Play): boolean => run.underWay.some((work) => work.startsWith('attempt step-2#'));
const isAgain = (run: Play): boolean => run.underWay.some((work) => work.startsWith('attempt step-1#'));

describe('prompts with conditions, played', () => {
  test('C-01: the prompts are asked in order, each after the one before it', () => {
    const run = playSteps({ prompt: 'One.' }, { prompt: 'Two.' }, { prompt: 'Three.' });
    for (const step of ['step-1', 'step-2', 'step-3']) {
      expect(run.underWay).toEqual([`attempt ${step}#1.1`]);
      run.attempts(step, ok());
    }
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('C-02: the script is run after the prompt was answered; a prompt that crashed fails by itself', () => {
    const run = ending({}).attempts('step-1', ok());
    expect(run.underWay).toEqual(['repeat step-1#1']);
    expect(ending({}).attempts('step-1', exited(1)).stop?.kind).toBe('failed');
  });

  const expected = { continue: 'goes on', retry: 'asks it', stopWorkflow: 'failed' } as const;
  const led = (run: Play): string => {
    if (run.stop !== null) return run.stop.kind;
    return isNext(run) ? 'goes on' : isAgain(run) ? 'asks it' : 'waits';
  };
  const actions = ['continue', 'retry', 'stopWorkflow'] as const;
  const pairs = actions.flatMap((onPass) => actions.map((onFail) => [onPass, onFail] as const));

  test.each(pairs)('C-04: onPass %s and onFail %s are followed, each by itself', (onPass, onFail) => {
    expect(led(answered(ending({ onPass, onFail }), met))).toBe(expected[onPass]);
    expect(led(answered(ending({ onPass, onFail }), unmet))).toBe(expected[onFail]);
  });

  test('C-04: without words for it a pass goes on and a failure is asked again', () => {
    expect([led(answered(ending({}), met)), led(answered(ending({}), unmet))]).toEqual(['goes on', 'asks it']);
  });

  test('C-05, C-06: the words of the next prompt are those for what was found', () => {
    const both = { onPass: 'retry', onFail: 'retry', retryPrompt: 'It failed.', passRetryPrompt: 'It passes still.' };
    const run = answered(ending(both), unmet);
    expect(prompted(run)).toBe('It failed.');
    expect(prompted(answered(run, met))).toBe('It passes still.');
    expect(prompted(answered(ending({ onPass: 'retry' }), met))).toBe('Do it.');
  });

  test('C-07: retries after passes and after failures are counted together', () => {
    const both = { onPass: 'retry', onFail: 'retry', maxRetries: 3 };
    const run = answered(ending(both), met, unmet, met);
    expect(isAgain(run)).toBe(true);
    expect(answered(run, unmet).stop?.kind).toBe('exhausted');
  });

  test('C-08: the budget used up while it still passes: the step succeeds, and the workflow goes on', () => {
    const run = answered(ending({ onPass: 'retry', onFail: 'continue', maxRetries: 2 }), met, met);
    expect(isNext(run)).toBe(false);
    answered(run, met);
    expect(isNext(run)).toBe(true);
    expect(run.last('step.succeeded').step).toBe('step-1');
  });

  test.each([
    ['continue', isNext],
    ['retry', isAgain],
    ['stopWorkflow', (run: Play) => run.stop?.kind === 'failed'],
  ] as const)('C-09: a failure after a retried pass is handled by onFail: %s', (onFail, holds) => {
    const run = answered(ending({ onPass: 'retry', onFail }), met);
    expect(isAgain(run)).toBe(true);
    expect(holds(answered(run, unmet))).toBe(true);
  });

  test('C-14: the fail budget used up fails the step, and nothing after it is asked', () => {
    const run = answered(ending({ maxRetries: 1 }), unmet, unmet);
    expect(run.last('step.failed').step).toBe('step-1');
    expect(run.stop?.kind).toBe('exhausted');
    expect(run.all('attempt.started').map(({ step }) => step)).toEqual(['step-1', 'step-1']);
  });

  test('C-13: a script that cannot be judged is tried twice more, and then onFail applies', () => {
    const run = ending({ onFail: 'continue' }).attempts('step-1', ok());
    for (let tries = 0; tries < 2; tries += 1) {
      run.evaluates('step-1', unclear);
      expect(run.underWay).toEqual(['repeat step-1#1']);
    }
    expect(isNext(run.evaluates('step-1', unclear))).toBe(true);
    expect(run.all('condition.judged').map(({ outcome }) => outcome.kind)).toEqual(['error', 'error', 'error']);
  });

  const before = (more: object): Play =>
    playSteps({ prompt: 'Do it.', preCondition: { ...script, ...more } }, { prompt: 'Go on.' });

  /** The host's answer: it turns a negated condition round, so that "met" leads on. */
  const found = (run: Play, what: 'passes' | 'fails'): ConditionOutcome => {
    const isTurned = run.plan.steps[0]?.when?.condition.negate === true;
    return (what === 'passes') === isTurned ? unmet : met;
  };

  test.each([
    ['nothing written', 'passes', {}, 'asks it'],
    ['nothing written', 'fails', {}, 'goes on'],
    ['onFail: stopWorkflow', 'passes', { onFail: 'stopWorkflow' }, 'asks it'],
    ['onFail: stopWorkflow', 'fails', { onFail: 'stopWorkflow' }, 'failed'],
    ['onFail: skip', 'fails', { onFail: 'skip' }, 'goes on'],
    ['onPass: skip', 'passes', { onPass: 'skip', onFail: 'continue' }, 'goes on'],
    ['onPass: skip, onFail: continue', 'fails', { onPass: 'skip', onFail: 'continue' }, 'asks it'],
    ['onPass: stopWorkflow', 'passes', { onPass: 'stopWorkflow', onFail: 'continue' }, 'failed'],
    ['onPass: stopWorkflow, onFail: continue', 'fails', { onPass: 'stopWorkflow', onFail: 'continue' }, 'asks it'],
  ] as const)('C-11: %s, and the script %s', (_keys, what, more, led_) => {
    const run = before(more);
    expect(run.underWay).toEqual(['when step-1#1']);
    expect(led(run.evaluates('step-1', found(run, what)))).toBe(led_);
  });
});
