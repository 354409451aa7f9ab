import { describe, expect, test } from 'vitest';

import type { StepPlan } from '#core/plan/plan.ts';

import { plan, step } from '../fakes/plans.ts';
import { exited, met, ok, unmet } from './outcomes.ts';
import { play } from './play.ts';

const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };
const when: StepPlan['when'] = { condition, onUnmet: 'skip', onError: 'fail' };

/** `first` has a condition; `second` and `third` come after it, `aside` after nothing. */
function chain(first: Partial<StepPlan> = {}, second: Partial<StepPlan> = {}) {
  return plan([
    step('first', { when, ...first }),
    step('second', { after: ['first'], ...second }),
    step('third', { after: ['second'] }),
    step('aside', { readOnly: true }),
  ]);
}

describe('A8: what a skipped step means for those after it', () => {
  test('A8: they run, unless the plan says otherwise', () => {
    const run = play(chain()).opens().evaluates('first', unmet).attempts('aside', ok());
    expect(run.step('first').outcome).toBe('skipped');
    expect(run.underWay).toEqual(['attempt second#1.1']);
  });

  test('A8: with `skipsDependents` they are skipped along, each naming the step that was', () => {
    const run = play(chain({ skipsDependents: true }))
      .opens()
      .evaluates('first', unmet)
      .attempts('aside', ok());
    const along = { by: 'first', reason: 'Step "first" was skipped, and so is what comes after it.' };
    expect(run.all('step.skipped').slice(1)).toMatchObject([
      { step: 'second', ...along },
      { step: 'third', ...along },
    ]);
    expect(run.stop?.kind).toBe('succeeded');
  });

  test('A8: one that was skipped along takes nothing along where it says so itself', () => {
    const run = play(chain({ skipsDependents: true }, { skipsDependents: false }))
      .opens()
      .evaluates('first', unmet)
      .attempts('aside', ok());
    expect(run.step('second').outcome).toBe('skipped');
    expect(run.underWay).toEqual(['attempt third#1.1']);
  });

  test('A8: it waits for all that a step comes after: one that fails meanwhile ends the run by its failure', () => {
    const run = play(
      plan([
        step('first', { when, skipsDependents: true, readOnly: true }),
        step('slow', { readOnly: true }),
        step('last', { after: ['first', 'slow'] }),
      ]),
    )
      .opens()
      .evaluates('first', unmet);
    expect(run.step('last').phase).toBe('idle');
    run.attempts('slow', exited(1));
    expect(run.stop?.kind).toBe('failed');
    expect(run.step('last').outcome).toBeNull();
  });

  test('A8: a step that is not skipped in the next pass lets those after it run', () => {
    const gate = step('gate', { work: step('gate').work });
    const run = play(
      plan([
        gate,
        step('maybe', { after: ['gate'], when, skipsDependents: true }),
        step('then', { after: ['maybe'] }),
        step('judge', { after: ['gate'], loop: loopBack, readOnly: true }),
      ]),
    )
      .opens()
      .attempts('gate', ok())
      .evaluates('maybe', unmet)
      .attempts('judge', exited(1));
    expect(run.step('then')).toMatchObject({ pass: 2, outcome: null, skippedBy: null });
    run.attempts('gate', ok()).evaluates('maybe', met).attempts('maybe', ok());
    expect(run.underWay).toContain('attempt then#2.1');
  });
});

const loopBack: StepPlan['loop'] = {
  to: 'gate',
  on: 'fail',
  limit: 2,
  wait: { everySeconds: 0, backoff: 1 },
  onExhausted: 'fail',
  inFlight: 'cancel',
};
