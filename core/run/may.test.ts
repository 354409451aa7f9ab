import { describe, expect, test } from 'vitest';

import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import type { Plan } from '#core/plan/plan.ts';
import { initialState, initialStep, type RunState } from '#core/run/state.ts';
import type { StopKind } from '#core/run/stop.ts';

const plan: Plan = {
  semantics: 1,
  name: 'test',
  project: 'default',
  labels: [],
  inputs: {},
  steps: [],
  limits: { noProgress: 0, onTime: 'fail', onSpend: 'fail' },
  workspace: { repo: '.', worktree: true, protect: [], keep: [], lane: 'run' },
  baseline: 'off',
  deliver: { mode: 'none' },
};
const fresh: RunState = { ...initialState(plan), runId: 'run_1', steps: { work: initialStep } };
const stopped = (kind: StopKind): RunState => ({ ...fresh, stop: { kind, reason: 'why' } });
const paused: RunState = {
  ...fresh,
  paused: {
    code: 'exhausted',
    reason: 'why',
    remedy: 'what',
    by: null,
    step: null,
    ask: false,
    asked: false,
    revision: 1,
  },
};
const underWay: RunState['steps'] = {
  work: { ...initialStep, busy: { work: 'attempt', pass: 1, attempt: 1, cancelling: false } },
};
const cancel = { kind: 'cancel' as const, id: 'm1', reason: 'Enough.' };
const retry = { kind: 'retry' as const, id: 'm1' };

describe('E3, E8: what may be said to a run', () => {
  test.each([
    ['a cancel of a run that is under way', fresh, cancel, 'applied'],
    ['a cancel of a paused run', paused, cancel, 'applied'],
    ['a cancel of a run that has ended', stopped('failed'), cancel, 'run/ended'],
    ['a retry of a run that failed', stopped('failed'), retry, 'applied'],
    ['a retry of a cancelled run', stopped('cancelled'), retry, 'applied'],
    ['a retry of a paused run', paused, retry, 'applied'],
    ['a retry of a run that has succeeded', stopped('succeeded'), retry, 'run/succeeded'],
    ['a retry of a run that is under way', fresh, retry, 'run/not-ended'],
    ['a retry while the run is still pausing', { ...paused, steps: underWay }, retry, 'run/busy'],
  ] as const)('E3, E8: %s', (_name, state, message, expected) => {
    const answer = may(plan, state, message);
    expect(answer.kind === 'applied' ? 'applied' : answer.code).toBe(expected);
  });

  test('E3, E8: a refusal names the remedy', () => {
    expect(may(plan, fresh, retry)).toMatchObject({
      message: 'The run has not ended; cancel it first, or let it end.',
    });
    expect(may(plan, stopped('failed'), cancel)).toMatchObject({
      message: 'The run has ended (failed); there is nothing to cancel.',
    });
  });
});

describe('D2: a message counts once by its id', () => {
  const known = { ...stopped('succeeded'), messages: ['m1'] };

  test('D2: the same one again is answered as before, even where a new one would be refused', () => {
    expect(may(plan, known, retry)).toEqual({ kind: 'applied' });
    expect(may(plan, known, { ...retry, id: 'm2' })).toMatchObject({ kind: 'refused' });
  });

  test('D2: and writes no event', () => {
    expect(eventOf(plan, known, retry, 5)).toBeUndefined();
  });

  test('D2: a new one writes the event of its kind', () => {
    expect(eventOf(plan, fresh, cancel, 5)).toEqual({
      type: 'run.cancelling',
      at: 5,
      messageId: 'm1',
      reason: 'Enough.',
    });
    expect(eventOf(plan, fresh, retry, 5)).toEqual({ type: 'run.retried', at: 5, messageId: 'm1' });
  });
});
