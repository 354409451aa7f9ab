import { expect, test } from 'vitest';

import { type LoopPlan, Plan } from '#core/plan/plan.ts';
import { initialState, type RunState, type StepState } from '#core/run/state.ts';

import { limitLines } from '#cli/render/limit-lines.ts';
import { loopLines } from '#cli/render/loop-lines.ts';
import { shownLines } from '#cli/render/run-view.ts';
import { listed, samplePlan, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

const [work] = samplePlan.steps;

/** Steps one after another, each with the loop that is given. */
function planOf(loops: Record<string, Partial<LoopPlan> | undefined>, limits: Partial<Plan['limits']> = {}): Plan {
  const ids = Object.keys(loops);
  const steps = ids.map((id, index) => {
    const loop = loops[id] === undefined ? {} : { loop: { ...work?.loop, ...loops[id] } };
    const { loop: _, ...bare } = { ...work };
    return { ...bare, id, name: id, after: ids.slice(Math.max(0, index - 1), index), ...loop };
  });
  return Plan.parse({ ...samplePlan, steps, limits: { ...samplePlan.limits, ...limits } });
}

function stateOf(plan: Plan, steps: Record<string, Partial<StepState>>, changes: Partial<RunState> = {}): RunState {
  const before = initialState(plan);
  const changed = Object.entries(before.steps).map(([id, step]) => [id, { ...step, ...steps[id] }] as const);
  return { ...before, steps: Object.fromEntries(changed), ...changes };
}

const texts = (lines: readonly { text: string }[]): string[] => lines.map(({ text }) => text);

test('C2: loops are a tree with their counters, the inner ones below those around them', () => {
  const plan = planOf({
    plan: undefined,
    code: { to: 'code', limit: 3 },
    test: { to: 'code', limit: 2 },
    ready: { to: 'plan', limit: null },
    after: { to: 'after', limit: 1 },
  });
  const state = stateOf(plan, { code: { loops: 3 }, test: { loops: 1, repeats: 1 }, ready: { loops: 2 } });
  expect(texts(loopLines(plan, state))).toEqual([
    '  ↺ ready → plan: looped 2, no limit',
    '    ↺ test → code: looped 1 of 2, 1 without progress',
    '      ↺ code: looped 3 of 3',
    '  ↺ after: looped 0 of 1',
  ]);
});

test('E10: limits are told with what is used of them, and a warning near their end', () => {
  const plan = planOf({ work: {} }, { timeSeconds: 600, deadlineSeconds: 3600, spendUsd: 5 });
  const busy = { work: 'attempt', pass: 1, attempt: 1, cancelling: false } as const;
  const spend = { usd: 4.5, estimated: true, inputTokens: 900, outputTokens: 100 };
  const state = stateOf(
    plan,
    { work: { busy } },
    { startedAt: 1_000, countedFrom: 1_000, now: 61_000, activeMs: 60_000, spend },
  );
  expect(limitLines(plan, state, 121_000)).toEqual([
    { tone: 'plain', text: '  time      2 min 0 s of 10 min 0 s of work' },
    { tone: 'plain', text: '  deadline  1970-01-01T01:00:01.000Z, 58 min 0 s left' },
    { tone: 'warn', text: '  spend     about 4.50 USD of 5.00 USD (1000 tokens)' },
  ]);
});

test('E10: of a run that has ended the clock stands still, and its deadline is none any more', () => {
  const plan = planOf({ work: {} }, { deadlineSeconds: 3600 });
  const stop = { kind: 'failed', reason: 'r' } as const;
  const state = stateOf(plan, {}, { countedFrom: 1_000, now: 61_000, activeMs: 60_000, stop });
  expect(texts(limitLines(plan, state, 999_000))).toEqual(['  time      1 min 0 s of work, no limit']);
  expect(limitLines(plan, stateOf(plan, {}), 5)).toEqual([]);
});

test('show tells the last pass, then loops and limits, then the outcome', () => {
  const view = { listed: listed(succeeded), plan: samplePlan, events: twoPasses };
  expect(texts(shownLines(view, 0)).slice(2, 9)).toEqual([
    '■ work pass 2: done, in 12 s, 0.13 USD',
    '  ✓ work · tests: exit 0',
    'loops',
    '  ↺ work: looped 1 of 4',
    'limits',
    '  spend     0.25 USD (30 tokens), no limit',
    '',
  ]);
});

test('E8: of a fork and of what it was forked from the relation is told', () => {
  const place = { step: 'work', pass: 1 };
  const view = { plan: samplePlan, events: twoPasses };
  const first = shownLines({ ...view, listed: listed(succeeded), forks: [{ runId: 'run_2', ...place }] }, 0);
  expect(texts(first)[2]).toBe('forked into run_2 after work:1');
  const fork = shownLines({ ...view, listed: { ...listed(succeeded), forkedFrom: { runId: 'run_1', ...place } } }, 0);
  expect(texts(fork)[2]).toBe('forked from run_1 after work:1');
});

test('what was delivered nowhere is in the folder that it was made in, and no snapshot is named where none is made', () => {
  const { commit: _commit, branch: _branch, ...undelivered } = succeeded;
  const none = { listed: listed({ ...undelivered, delivery: 'none' }), events: twoPasses };
  const apart = texts(shownLines({ ...none, plan: samplePlan }, 0));
  expect(apart.slice(-2)).toEqual([
    '  look      setpoint diff run_01hsample',
    '  work      in /w, until setpoint cleanup run_01hsample',
  ]);
  const plan = { ...samplePlan, workspace: { ...samplePlan.workspace, worktree: false } };
  expect(texts(shownLines({ ...none, plan }, 0)).at(-1)).toBe('  look      it worked in /w, the checkout itself');
});
