import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import { noOptions, type SimulateOptions } from '#core/simulate/options.ts';
import { countsOf, simulate, type Simulation } from '#core/simulate/simulate.ts';

import { callWork, reviewCheck } from '../../test/fakes/people-plans.ts';
import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../../test/fakes/plans.ts';
import { arbitraryPlan } from '../../test/property/arbitrary-plan.ts';
import { type Draw, simulate as drawRun } from '../../test/property/world.ts';
import { failed, ok, passed } from '../../test/spec/outcomes.ts';
import { play } from '../../test/spec/play.ts';

function drawer(seed: number): Draw {
  // mulberry32: a whole run from one number keeps counterexamples small.
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % Math.max(1, below);
  };
}

const minute = 60_000;

function typesOf({ timeline }: Simulation): string[] {
  return timeline.map(({ event }) => event.type);
}

function asksAboutLimits({ steps, limits }: Plan): boolean {
  return steps.some(({ loop }) => loop?.onExhausted === 'ask') || limits.onTime === 'ask' || limits.onSpend === 'ask';
}

/** A file that was never run, with options. */
function ofFile(made: Plan, options: Partial<SimulateOptions> = {}): Simulation {
  return simulate({ plan: made, events: [], options: { ...noOptions, ...options } });
}

describe('any run, simulated again', () => {
  test('S-05: its own record, without options, gives its own decisions', () => {
    fc.assert(
      fc.property(arbitraryPlan, fc.nat(), fc.boolean(), fc.boolean(), (made, seed, crashes, messages) => {
        const { events } = drawRun(made, drawer(seed), { crashes, messages, continueAsNew: false });
        const again = simulate({ plan: made, events, options: noOptions });
        expect(again.followed).toEqual({ events: events.length, of: events.length });
        expect(again.timeline.slice(0, events.length).map(({ event }) => event)).toEqual(events);
      }),
      { numRuns: 150 },
    );
  });

  test('S-05: with any options it comes to an end, and its state is the fold of its events', () => {
    const anyOptions = fc.record({
      passes: fc.constantFrom(1, 2, 6),
      timeSeconds: fc.constantFrom(1, 600, 36_000),
      check: fc.constantFrom('check0', 'check1', 'review'),
      passed: fc.boolean(),
      at: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom('approve' as const, 'reject' as const, 'push_back' as const),
      seed: fc.constantFrom(undefined, 7),
    });
    fc.assert(
      fc.property(arbitraryPlan, fc.nat(), anyOptions, fc.boolean(), (made, seed, drawn, isFile) => {
        const trouble = { crashes: true, messages: true, continueAsNew: false };
        const events = isFile ? [] : drawRun(made, drawer(seed), trouble).events;
        const changed = [{ check: drawn.check, pass: drawn.at }];
        const options: SimulateOptions = {
          ...(drawn.at === 1 ? {} : { passes: drawn.passes }),
          ...(drawn.at === 2 ? {} : { timeSeconds: drawn.timeSeconds }),
          failChecks: drawn.passed ? [] : changed,
          passChecks: drawn.passed ? changed : [],
          failSteps: [{ step: 's1', pass: drawn.at }],
          decisions: [{ step: 's0', kind: drawn.kind }],
          ...(drawn.seed === undefined ? {} : { seed: drawn.seed }),
        };
        const simulation = simulate({ plan: made, events, options, mostEvents: 3000 });
        // Somebody who rejects again and again, beside somebody who grants as much again each time, has no end.
        const ends = asksAboutLimits(made) ? ['ended', 'rests', 'refused', 'unending'] : ['ended', 'rests', 'refused'];
        expect(ends).toContain(simulation.end.kind);
        const folded = fold(
          simulation.plan,
          simulation.timeline.map(({ event }) => event),
        );
        expect(folded).toEqual(simulation.state);
      }),
      { numRuns: 150 },
    );
  });
});
