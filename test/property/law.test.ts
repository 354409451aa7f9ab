import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import type { Work } from '#core/run/command.ts';
import { planStep } from '#core/run/graph.ts';
import { isBusy, type RunState } from '#core/run/state.ts';

import { arbitraryPlan } from './arbitrary-plan.ts';
import { type Draw, simulate, type Simulation, type Trouble } from './world.ts';

const runs = 400;
const everything: Trouble = { crashes: true, messages: true, continueAsNew: false };

function drawer(seed: number): Draw {
  // mulberry32: a whole simulation from one number keeps counterexamples small.
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % Math.max(1, below);
  };
}

function always(holds: (plan: Plan, simulation: Simulation) => void, trouble = everything): void {
  fc.assert(
    fc.property(arbitraryPlan, fc.nat(), (plan, seed) => holds(plan, simulate(plan, drawer(seed), trouble))),
    { numRuns: runs },
  );
}

describe('the law, over random plans and interleavings', () => {
  test('C1: the loops of a step never fire more often than its limit', () => {
    always((plan, { events }) => {
      const fired = new Map<string, number>();
      for (const event of events) {
        if (event.type === 'run.retried') fired.clear();
        if (event.type !== 'loop.fired') continue;
        const count = (fired.get(event.step) ?? 0) + 1;
        fired.set(event.step, count);
        expect(count).toBe(event.count);
        expect(count).toBeLessThanOrEqual(planStep(plan, event.step).loop?.limit ?? Number.POSITIVE_INFINITY);
      }
    });
  });

  test('decision 4: no attempt is started twice, unless it goes on where its process had ended', () => {
    always((_plan, { started }) => {
      const keys = new Set<string>();
      for (const { work, state } of started) {
        if (work.do !== 'attempt') continue;
        const key = `${work.step}#${work.pass}.${work.attempt}`;
        const resumed = state.steps[work.step]?.phase === 'resumable';
        expect(keys.has(key)).toBe(resumed);
        keys.add(key);
      }
    });
  });

  test('C4: a result of an older pass is recorded and never applied', () => {
    always((_plan, { events, states }) => {
      events.forEach((event, index) => {
        const before = states[index - 1];
        if (event.type !== 'attempt.finished' || before === undefined) return;
        const current = before.steps[event.step];
        if (current === undefined || current.pass === event.pass) return;
        expect(states[index]?.steps[event.step]?.result).toEqual(current.result);
        expect(states[index]?.workspace.snapshot).toEqual(before.workspace.snapshot);
      });
    });
  });

  test('E1, decision 16: every run ends, pauses, or was left waiting; it is never stuck in silence', () => {
    always((_plan, { end }) => {
      expect(end.stop !== null || end.paused !== null).toBe(true);
      expect(end.stop?.code).not.toBe('stuck');
      if (end.stop !== null) expect(isBusy(end)).toBe(false);
    });
  });

  test('folding the events gives the state', () => {
    always((plan, { events, end }) => {
      expect(fold(plan, events)).toEqual(end);
    });
  });

  test('decision 8: the log is the same when every event is followed by continue-as-new', () => {
    fc.assert(
      fc.property(arbitraryPlan, fc.nat(), (plan, seed) => {
        const straight = simulate(plan, drawer(seed), everything);
        const continued = simulate(plan, drawer(seed), { ...everything, continueAsNew: true });
        expect(continued.events).toEqual(straight.events);
      }),
      { numRuns: runs },
    );
  });

  test('a step never starts before what it is after', () => {
    always((plan, { started }) => {
      for (const { work, state } of started) {
        if (work.do !== 'attempt') continue;
        // C3: what `keep` leaves in flight ends its pass on what it began with, its retries too.
        if (plan.steps.some(({ loop }) => loop?.inFlight === 'keep') && isUnderWay(state, work)) continue;
        for (const before of planStep(plan, work.step).after) {
          const upstream = state.steps[before];
          expect(upstream?.phase).toBe('done');
          expect(upstream?.outcome === 'failed' && !upstream.continued).toBe(false);
        }
      }
    });
  });

  test('decision 14: never two writers in one workspace', () => {
    always((plan, { together }) => {
      if (!plan.workspace.worktree) return;
      for (const works of together) expect(works.filter((work) => writes(plan, work)).length).toBeLessThanOrEqual(1);
    });
  });

  test('G2: succeeded only with every check passed on the delivered tree', () => {
    always((plan, { end }) => {
      if (end.stop?.kind !== 'succeeded' || !plan.workspace.worktree) return;
      for (const step of plan.steps) {
        const { outcome, verdicts, judgedTree } = end.steps[step.id] ?? {};
        if (outcome !== 'succeeded' || step.checks.length === 0) continue;
        const passed = verdicts?.filter(({ verdict }) => verdict.kind === 'pass').length;
        expect(passed).toBeGreaterThanOrEqual(step.mode === 'all' ? step.checks.length : 1);
        expect(judgedTree).toBe(end.workspace.snapshot?.tree);
      }
    });
  });

  test('E5: what crashed or was cancelled is rebuilt from the last snapshot before anything writes again', () => {
    always((plan, { started }) => {
      for (const { work, state, input } of started) {
        if (work.do !== 'attempt' || planStep(plan, work.step).readOnly) continue;
        expect(input?.restore).toBe(state.workspace.dirty);
      }
    });
  });

  test('A2: the budgets of a pass are never mixed: at most one retry and three restarts', () => {
    always((_plan, { states }) => {
      for (const state of states) {
        for (const step of Object.values(state.steps)) {
          expect(step.retries).toBeLessThanOrEqual(1);
          expect(step.crashes).toBeLessThanOrEqual(3);
        }
      }
    });
  });
});

function isUnderWay(state: RunState, work: Extract<Work, { do: 'attempt' }>): boolean {
  return work.attempt > 1 || state.steps[work.step]?.phase === 'resumable';
}

function writes(plan: Plan, work: Work): boolean {
  if (work.do === 'judge' || work.do === 'evaluate') return true;
  return work.do === 'attempt' && !planStep(plan, work.step).readOnly;
}
