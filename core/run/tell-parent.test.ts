import { expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { ParentRef } from '#core/run/event.ts';
import { stopped } from '#core/run/finish.ts';
import { initialState } from '#core/run/state.ts';
import { tellParent } from '#core/run/tell-parent.ts';

const plan: Plan = {
  semantics: 1,
  name: 'child',
  project: 'default',
  labels: [],
  inputs: {},
  steps: [],
  limits: { noProgress: 2, onTime: 'fail', onSpend: 'pause' },
  workspace: { repo: '.', worktree: true, protect: [], keep: [], lane: 'run' },
  baseline: 'off',
  deliver: { mode: 'none' },
};
const parent: ParentRef = { runId: 'run_p', step: 'call', pass: 2, index: 3 };
const stop = { kind: 'failed', reason: 'because' } as const;
const spent = (usd: number) => ({ usd, estimated: false, inputTokens: usd * 10, outputTokens: usd });

test('a parent is told how its child ended, once for each end', () => {
  const state = { ...initialState(plan), parent, spend: spent(1) };
  const event = stopped(plan, state, stop);
  const told = tellParent({ runId: 'run_c', parent, events: [{ seq: 7, event }] });
  expect(told).toEqual([
    {
      seq: 7,
      to: 'run_p',
      message: {
        kind: 'childSettled',
        id: 'child:run_c:7',
        step: 'call',
        pass: 2,
        index: 3,
        runId: 'run_c',
        stop: 'failed',
        toParent: { outputs: {}, spend: spent(1), activeMs: 0 },
      },
    },
  ]);
  expect(tellParent({ runId: 'run_c', events: [{ seq: 7, event }] })).toEqual([]);
});

test('E8: a child that is retried tells at its next end only what it spent since: the parent adds it up', () => {
  const first = { ...initialState(plan), parent, spend: spent(1) };
  const ended = apply(plan, first, stopped(plan, first, stop));
  const again = { ...apply(plan, ended, { type: 'run.retried', at: 5, messageId: 'm' }), spend: spent(4) };
  expect(stopped(plan, again, stop).toParent?.spend).toEqual(spent(3));
});

test('a run that nobody called tells nobody', () => {
  expect(stopped(plan, initialState(plan), stop).toParent).toBeUndefined();
});
