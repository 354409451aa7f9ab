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
import { fails, ok, passes } from '../../test/spec/outcomes.ts';
import { play, type Play } from '../../test/spec/play.ts';

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

function originOf({ timeline }: Simulation, type: string, step: string, pass: number): string[] {
  return timeline.flatMap(({ event, origin }) => {
    if (event.type !== type || !('step' in event) || !('pass' in event)) return [];
    return event.step === step && event.pass === pass ? [origin] : [];
  });
}

function of({ plan: made, events }: Play, options: Partial<SimulateOptions> = {}, edited?: Plan): Simulation {
  const changed = edited === undefined ? {} : { edited };
  return simulate({ plan: made, events, options: { ...noOptions, ...options }, ...changed });
}

function attemptsOf({ timeline }: Simulation, step: string): string[] {
  return timeline.flatMap(({ event, origin }) =>
    event.type === 'attempt.finished' && event.step === step ? [`${event.pass}.${event.attempt} ${origin}`] : [],
  );
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
        expect(again.followed).toMatchObject({ events: events.length, of: events.length });
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

const looping = plan([
  step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work', { limit: 4 }) }),
]);

/** Three passes, a minute each: the checks of the first two fail. */
function threePasses(made = looping): Play {
  return play(made)
    .opens()
    .later(60)
    .attempts('work', ok({ tree: 't1' }))
    .judges('work', fails('tests', 'one'))
    .later(60)
    .attempts('work', ok({ tree: 't2' }))
    .judges('work', fails('tests', 'two'))
    .later(60)
    .attempts('work', ok({ tree: 't3' }))
    .judges('work', passes('tests'));
}

describe('a run with other limits', () => {
  test('S-05, C2: fewer passes: the record is followed until the budget is spent', () => {
    const run = threePasses();
    expect(run.stop?.kind).toBe('succeeded');
    const simulation = of(run, { passes: 2 });
    expect(simulation.state.stop?.kind).toBe('exhausted');
    expect(attemptsOf(simulation, 'work')).toEqual(['1.1 recorded', '2.1 recorded']);
    expect(simulation.followed.events).toBe(
      run.events.findIndex(({ type, ...rest }) => type === 'loop.fired' && 'count' in rest && rest.count === 2),
    );
    expect(countsOf(simulation)).toEqual({
      passes: [{ step: 'work', passes: 2 }],
      loops: [{ step: 'work', to: 'work', fired: 1, limit: 1, pushBacks: 0 }],
    });
  });

  test('S-05: more passes: what comes after the record is invented', () => {
    const run = play(plan([step('work', { checks: [commandCheck('tests')], loop: loopTo('work', { limit: 1 }) })]))
      .opens()
      .attempts('work', ok({ tree: 't1' }))
      .judges('work', fails('tests', 'one'))
      .attempts('work', ok({ tree: 't2' }))
      .judges('work', fails('tests', 'two'));
    expect(run.stop?.kind).toBe('exhausted');
    const simulation = of(run, { passes: 4 });
    expect(simulation.state.stop?.kind).toBe('succeeded');
    expect(attemptsOf(simulation, 'work')).toEqual(['1.1 recorded', '2.1 recorded', '3.1 invented']);
  });

  test('S-05, E10: less time stops it in the middle of a recorded attempt', () => {
    const run = threePasses();
    const simulation = of(run, { timeSeconds: 90 });
    expect(simulation.state.stop?.kind).toBe('timed_out');
    expect(simulation.state.now - simulation.state.startedAt).toBe(90_000);
  });

  test('S-05: more time than it took changes nothing', () => {
    const run = threePasses();
    const simulation = of(run, { timeSeconds: 3600 });
    expect(simulation.timeline.map(({ event }) => event)).toEqual(run.events);
  });

  test('S-05, E3: a recorded change of a limit that the options give has no effect', () => {
    const run = play(looping)
      .opens()
      .says({ kind: 'raise', id: 'm1', by: 'anna', limits: { passes: 9 } });
    run.attempts('work', ok({ tree: 't1' })).judges('work', fails('tests'));
    const simulation = of(run, { passes: 1 });
    expect(typesOf(simulation)).toContain('run.raised');
    expect(simulation.state.stop?.kind).toBe('exhausted');
  });

  test('S-05: another definition in place of its own', () => {
    const stricter = plan([
      step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests'), commandCheck('lint')] }),
    ]);
    const simulation = of(threePasses(), {}, stricter);
    expect(originOf(simulation, 'check.judged', 'work', 1)).toEqual(['recorded', 'invented']);
    expect(simulation.state.stop?.kind).toBe('failed');
  });
});

describe('a run with other results', () => {
  test('S-05: a check that is made to pass ends the loop', () => {
    const simulation = of(threePasses(), { passChecks: [{ check: 'tests', pass: 1 }] });
    expect(simulation.state.stop?.kind).toBe('succeeded');
    expect(attemptsOf(simulation, 'work')).toEqual(['1.1 recorded']);
    expect(originOf(simulation, 'check.judged', 'work', 1)).toEqual(['option']);
  });

  test('S-05: a check that is made to fail sends the work on', () => {
    const simulation = of(threePasses(), { failChecks: [{ check: 'tests', pass: 3 }] });
    expect(attemptsOf(simulation, 'work').at(-1)).toBe('4.1 invented');
    expect(simulation.state.stop?.kind).toBe('succeeded');
  });

  test('S-05: where it has left the record, recorded results are found again with their durations', () => {
    const made = plan([
      step('first', { continueOnError: true }),
      step('work', { after: ['first'], checks: [commandCheck('tests')], loop: loopTo('work') }),
    ]);
    const run = play(made)
      .opens()
      .attempts('first', ok({ tree: 't0' }))
      .later(60)
      .attempts('work', ok({ tree: 't1' }))
      .judges('work', fails('tests'))
      .later(120)
      .attempts('work', ok({ tree: 't2' }))
      .judges('work', passes('tests'));
    const simulation = of(run, { failSteps: [{ step: 'first', pass: 1 }] });
    expect(attemptsOf(simulation, 'first')).toEqual(['1.1 option']);
    expect(attemptsOf(simulation, 'work')).toEqual(['1.1 recorded', '2.1 recorded']);
    const { state } = simulation;
    expect(state.now - state.startedAt).toBe(3 * minute);
    expect(state.stop?.kind).toBe('succeeded');
  });

  test('S-05, E5: an attempt that was lost is not lost again: the next result of its pass stands for it', () => {
    const made = plan([step('first', { continueOnError: true }), step('work', { after: ['first'] })]);
    const run = play(made)
      .opens()
      .attempts('first', ok({ tree: 't0' }))
      .faults('work', 'host/crashed');
    run.recovers('work', { kind: 'lost', spend: { usd: 1, estimated: false, inputTokens: 0, outputTokens: 0 } });
    run.attempts('work', ok({ tree: 't1' }));
    expect(attemptsOf(of(run), 'work')).toEqual(['1.2 recorded']);
    const simulation = of(run, { failSteps: [{ step: 'first', pass: 1 }] });
    expect(attemptsOf(simulation, 'work')).toEqual(['1.1 recorded']);
    expect(simulation.state.workspace.snapshot?.tree).toBe('t1');
  });

  test('B2: behind a check that is made to fail, one that needs the others passed is not asked', () => {
    const made = plan([
      step('work', {
        checks: [commandCheck('tests'), commandCheck('slow', { needs: 'passed' }), reviewCheck('review')],
        loop: loopTo('work'),
      }),
    ]);
    const simulation = ofFile(made, { failChecks: [{ check: 'tests', pass: 1 }] });
    expect(originOf(simulation, 'check.judged', 'work', 1)).toEqual(['option']);
    expect(originOf(simulation, 'check.judged', 'work', 2)).toEqual(['invented', 'invented', 'invented']);
  });

  test('a review that is made to fail sends the work back', () => {
    const made = plan([step('work', { checks: [reviewCheck('review')], loop: loopTo('work') })]);
    const simulation = ofFile(made, { failChecks: [{ check: 'review', pass: 1 }] });
    expect(countsOf(simulation).passes).toEqual([{ step: 'work', passes: 2 }]);
  });

  test('a call that is made to fail has child runs that fail', () => {
    const made = plan([step('call', { work: callWork({ each: { list: 'a', max: 2 } }), loop: loopTo('call') })], {
      children: { child: plan([step('only')]) },
    });
    const simulation = ofFile(made, { failSteps: [{ step: 'call', pass: 1 }] });
    expect(originOf(simulation, 'child.settled', 'call', 1)).toEqual(['option', 'option']);
    expect(originOf(simulation, 'child.settled', 'call', 2)).toEqual(['invented', 'invented']);
    expect(simulation.state.stop?.kind).toBe('succeeded');
  });
});

test('a call that fails is made again within its pass, with child runs of its own', () => {
  const retry = { on: 'notVerdict' as const, limit: 1, everySeconds: 1, backoff: 1 };
  const made = plan([step('call', { work: callWork(), retry })], { children: { child: plan([step('only')]) } });
  const simulation = ofFile(made, { failSteps: [{ step: 'call', pass: 1 }] });
  const children = simulation.timeline.flatMap(({ event }) => (event.type === 'child.started' ? [event.runId] : []));
  expect(new Set(children).size).toBe(2);
  expect(simulation.state.stop?.kind).toBe('failed');
});

describe('a run with other decisions', () => {
  const asking = plan([
    step('work'),
    step('ready', { after: ['work'], work: personWork({ pushBackLimit: 1 }), loop: loopTo('work') }),
  ]);

  test('D3: a push back where there was an approval: the question is asked again', () => {
    const run = play(asking)
      .opens()
      .attempts('work', ok({ tree: 't1' }))
      .asks('ready')
      .answersTask('ready', 'anna', 'approve');
    expect(run.stop?.kind).toBe('succeeded');
    const simulation = of(run, { decisions: [{ step: 'ready', kind: 'push_back' }] });
    expect(attemptsOf(simulation, 'work')).toEqual(['1.1 recorded', '2.1 invented']);
    expect(originOf(simulation, 'task.decided', 'ready', 1)).toEqual(['option']);
    expect(originOf(simulation, 'task.decided', 'ready', 2)).toEqual(['invented']);
    expect(countsOf(simulation).loops).toMatchObject([{ step: 'ready', pushBacks: 1 }]);
  });

  test('D3: one push back more than the plan allows breaks the simulation off', () => {
    const decisions = [1, 2].map((revision) => ({ step: 'ready', kind: 'push_back' as const, revision }));
    expect(ofFile(asking, { decisions }).end).toMatchObject({ kind: 'refused' });
  });

  test('D5: a question that expired in the record expires again where it has left it', () => {
    const made = plan([
      step('work', { loop: loopTo('work') }),
      step('ready', { after: ['work'], work: personWork({ time: { limitSeconds: 600, onExpiry: 'fail' } }) }),
    ]);
    const run = play(made)
      .opens()
      .attempts('work', ok({ tree: 't1' }))
      .asks('ready')
      .waits(600);
    const simulation = of(run, { failSteps: [{ step: 'work', pass: 1 }] });
    expect(typesOf(simulation)).toContain('task.expired');
    expect(simulation.state.stop?.kind).toBe('timed_out');
  });

  test('C7: whoever is asked about a limit grants as much again, or ends the run', () => {
    const made = plan([
      step('work', { checks: [commandCheck('tests')], loop: loopTo('work', { limit: 1, onExhausted: 'ask' }) }),
    ]);
    const failChecks = [1, 2].map((pass) => ({ check: 'tests', pass }));
    expect(ofFile(made, { failChecks }).state.stop?.kind).toBe('succeeded');
    const rejected = ofFile(made, { failChecks, decisions: [{ step: '@limits', kind: 'reject' }] });
    expect(rejected.state.stop?.kind).toBe('exhausted');
  });
});

describe('a definition that never ran', () => {
  test('an endless loop is broken off', () => {
    const made = plan([step('work', { loop: loopTo('work', { on: 'always', limit: null }) })]);
    const simulation = simulate({ plan: made, events: [], options: noOptions, mostEvents: 100 });
    expect(simulation.end).toEqual({ kind: 'unending' });
    expect(simulation.timeline.length).toBeLessThan(110);
  });

  test('C5: conditions that are invented end their loop, an `until` as well as a `while`', () => {
    for (const mode of ['until', 'while'] as const) {
      const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };
      const repeat = { mode, condition, onError: 'fail' as const };
      const made = plan([step('work', { loop: loopTo('work', { on: 'always', repeat }) })]);
      expect(countsOf(ofFile(made)).passes).toEqual([{ step: 'work', passes: 1 }]);
    }
  });

  test('C5: waits take their interval', () => {
    const wait = { everySeconds: 600, backoff: 1 };
    const made = plan([step('work', { checks: [commandCheck('tests')], loop: loopTo('work', { wait }) })]);
    const { state } = ofFile(made, { failChecks: [{ check: 'tests', pass: 1 }] });
    expect(state.now - state.startedAt).toBe((5 + 10 + 5) * minute);
  });

  test('C7: an exhausted loop that pauses leaves the run at rest', () => {
    const loop = loopTo('work', { limit: 0, onExhausted: 'pause' });
    const made = plan([step('work', { checks: [commandCheck('tests')], loop })]);
    const simulation = ofFile(made, { failChecks: [{ check: 'tests', pass: 1 }] });
    expect(simulation.end).toEqual({ kind: 'rests' });
    expect(simulation.state.paused?.code).toBe('exhausted');
  });

  test('a seed draws the durations: the same one the same, another one others', () => {
    const made = plan([step('a', { readOnly: true }), step('b', { readOnly: true })]);
    const took = (seed: number): number => ofFile(made, { seed }).state.now;
    expect(took(1)).toBe(took(1));
    expect(new Set([1, 2, 3].map(took)).size).toBeGreaterThan(1);
  });
});
