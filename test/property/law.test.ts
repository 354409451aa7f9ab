import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { handlersFor, isHandler } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { apply, fold } from '#core/run/apply.ts';
import type { Work } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import { next } from '#core/run/next.ts';
import { planNow } from '#core/run/plan-now.ts';
import { hasStrays, isBusy, restoredState, type RunState } from '#core/run/state.ts';
import { summarise } from '#core/run/summarise.ts';
import { tasksOf } from '#core/run/apply-task.ts';

import { arbitraryPlan } from './arbitrary-plan.ts';
import { type Draw, simulate, type Simulation, type Trouble } from './world.ts';

const runs = 150;
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

function always(holds: (plan: Plan, simulation: Simulation, draw: Draw) => void, trouble = everything): void {
  fc.assert(
    fc.property(arbitraryPlan, fc.nat(), (plan, seed) =>
      holds(plan, simulate(plan, drawer(seed), trouble), drawer(seed + 1)),
    ),
    { numRuns: runs },
  );
}

describe('the law, over random plans and interleavings', () => {
  test('C1: the loops of a step never fire more often than its limit; a person is not counted', () => {
    always((plan, { events, states }) => {
      events.forEach((event, index) => {
        const before = states[index - 1];
        if (event.type !== 'loop.fired' || before === undefined) return;
        const step = before.steps[event.step];
        const { loop, work } = planStep(planNow(plan, before), event.step);
        const loops = { before: step?.loops, limit: loop?.limit ?? null };
        const backs = { before: step?.pushBacks, limit: work.kind === 'person' ? work.pushBackLimit : 0 };
        const { before: fired = 0, limit } = event.pushBack === true ? backs : loops;
        expect(event.count).toBe(fired + 1);
        expect(event.count).toBeLessThanOrEqual(limit ?? Number.POSITIVE_INFINITY);
      });
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

  test('decision 4: nothing is started twice: no review, question, list, child run or collection', () => {
    always((_plan, { started, events }) => {
      // What was broken off is begun again, under the same key.
      if (events.some(({ type }) => /reseated|interrupted|cancelled|failed$/.test(type))) return;
      const keys = started.flatMap(({ work, state }) => onceKey(work, state) ?? []);
      expect(keys).toEqual([...new Set(keys)]);
    });
  });

  test('E1, E2, decision 16: every run ends, or stands with a reason and what clears it', () => {
    always((plan, { end, rested }) => {
      expect(rested).toBe(true);
      expect(end.stop?.code).not.toBe('stuck');
      if (end.stop !== null) {
        expect(isBusy(end)).toBe(false);
        return;
      }
      const { status, why, remedy } = summarise(plan, end, 1);
      expect(status).not.toBe('running');
      expect(why).toBeTruthy();
      expect(remedy).toMatch(/setpoint /);
    });
  });

  test('E3, E-19: nothing begins while a run is paused or one of its sources is off', () => {
    always((_plan, { started }) => {
      const stopped = started.filter(({ state }) => state.ending === null && isStopped(state));
      const begun = stopped.filter(({ work, state }) => {
        const isLaws = state.paused !== null && state.paused.code !== 'person';
        return isLaws ? work.do !== 'cancelChild' : beginsAnything(work);
      });
      expect(begun).toEqual([]);
    });
  });

  test('E3: what a person paused stays paused until a person says otherwise', () => {
    always((_plan, { events, states }) => {
      events.forEach((event, index) => {
        if (states[index - 1]?.paused?.code !== 'person' || states[index]?.paused?.code === 'person') return;
        expect(['run.resumed', 'run.retried', 'run.cancelling', 'run.ending']).toContain(event.type);
      });
    });
  });

  test('D2: a question that was decided or closed never changes', () => {
    always((_plan, { states }) => {
      const over = new Map<string, Set<string>>();
      for (const { task } of states.flatMap(tasksOf)) {
        if (task.status === 'open') continue;
        const key = `${task.id}#${task.revision}`;
        over.set(key, (over.get(key) ?? new Set()).add(JSON.stringify(task)));
      }
      expect([...over.values()].filter(({ size }) => size > 1)).toEqual([]);
    });
  });

  test('D2, E3: no question is open and no child run is alive when the run has stopped', () => {
    always((_plan, { end, alive }) => {
      const open = end.stop === null ? [] : tasksOf(end).filter(({ task }) => task.status === 'open');
      expect(open).toEqual([]);
      expect(end.stop === null ? [] : alive).toEqual([]);
    });
  });

  test('D2: a decision that was applied is heard: its step succeeds, fails or goes back by it', () => {
    always((_plan, { said }) => {
      for (const { message, after } of said) {
        if (message.kind !== 'decide') continue;
        const found = tasksOf(after).find(({ task }) => task.id === message.task);
        const phase = found === undefined ? undefined : after.steps[found.step]?.phase;
        expect(phase ?? 'asking').toBe('asking');
      }
    });
  });

  test('D2: a message that comes again changes nothing', () => {
    always((plan, { said }) => {
      for (const { message, after } of said) {
        expect(may(plan, after, message)).toEqual({ kind: 'applied' });
        expect(eventOf(plan, after, message, after.now)).toBeUndefined();
      }
    });
  });

  test('E7, H1: the spend of the run is the sum of what its work and its child runs told', () => {
    always((_plan, { events, end }) => {
      const told = events.reduce((sum, event) => sum + (spendOf(event) ?? 0), 0);
      expect(end.spend.usd ?? 0).toBeCloseTo(told, 6);
    });
  });

  test('C4: the end of a child run of an older pass is recorded and never applied', () => {
    always((_plan, { events, states }) => {
      events.forEach((event, index) => {
        const before = states[index - 1];
        if (event.type !== 'child.settled' || before === undefined) return;
        if (before.steps[event.step]?.pass === event.pass) return;
        expect(states[index]?.steps[event.step]?.call).toEqual(before.steps[event.step]?.call);
      });
    });
  });

  test('decision 8: what is handed over is the state itself', () => {
    always((plan, { states }) => {
      for (const state of states) {
        expect(restoredState(plan, JSON.parse(JSON.stringify(state)) as RunState)).toEqual(state);
      }
    });
  });

  test('decision 13: from any point of its record a lost run goes on: the law has something to do or to wait for', () => {
    always((plan, { events, states }, draw) => {
      const index = draw(events.length);
      const state = states[index];
      if (state === undefined || state.stop !== null) return;
      let after = apply(plan, state, { type: 'run.reseated', at: state.now, seat: 2 });
      expect(isBusy(after)).toBe(false);
      for (let turn = 0; turn < 50; turn += 1) {
        const [command] = next(plan, after);
        if (command?.do !== 'emit') return;
        after = apply(plan, after, command.event);
      }
      expect('the law rests').toBe('it never does');
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

  test('E-10, F1: a lane is admitted once work went back, while nothing holds the workspace, and its number counts on', () => {
    always(({ workspace }, { events, states }) => {
      let [number, due] = [1, false];
      events.forEach((event, index) => {
        if (event.type === 'lane.admitted') {
          const busy = Object.values(states[index - 1]?.steps ?? {}).filter((step) => step.busy?.work === 'checks');
          expect([workspace.lane, due, busy]).toEqual(['pass', true, []]);
          expect(event.number).toBe(number + 1);
          expect(states[index]?.workspace.path).toBe(event.path);
          [number, due] = [event.number, false];
        }
        if (event.type === 'workspace.opened') [number, due] = [1, false];
        if (['loop.fired', 'step.pushed_back', 'run.retried'].includes(event.type)) due = true;
      });
    });
  });

  test('G2: succeeded only with every check passed on the delivered tree', () => {
    always((plan, { end }) => {
      if (end.stop?.kind !== 'succeeded' || !plan.workspace.worktree) return;
      for (const step of planNow(plan, end).steps) {
        const { outcome, verdicts, judgedTree } = end.steps[step.id] ?? {};
        if (outcome !== 'succeeded' || step.checks.length === 0 || countsAnyway(step)) continue;
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

  test('A8: nothing begins after a step that was skipped with all that comes after it', () => {
    always((plan, { started, events, states }) => {
      for (const { work, state } of started) {
        if (work.do !== 'attempt' || isHandler(plan, work.step)) continue;
        if (plan.steps.some(({ loop }) => loop?.inFlight === 'keep') && isUnderWay(state, work)) continue;
        expect(planStep(plan, work.step).after.filter((id) => takesAlong(plan, state, id))).toEqual([]);
      }
      events.forEach((event, index) => {
        if (event.type !== 'step.skipped' || event.by === undefined) return;
        const { after } = planStep(plan, event.step);
        expect(after.some((id) => states[index]?.steps[id]?.outcome === 'skipped')).toBe(true);
      });
    });
  });

  test('D-14: handlers run once an ending, only those of the end, and only once nothing else is alive', () => {
    always((plan, { events, states, started }) => {
      for (const { work, state } of started) {
        const isOfHandler = 'step' in work && isHandler(plan, work.step);
        if (isOfHandler) expect(state.handling).not.toBeNull();
        if (isOfHandler)
          expect(handlersFor(plan, state.handling?.stop.kind ?? 'failed').map(({ id }) => id)).toContain(work.step);
        else if (state.handling !== null) expect(work.do).toBe('keepFiles');
      }
      for (const [index, event] of events.entries()) {
        if (event.type === 'handlers.started') expect(isQuiet(states[index])).toBe(true);
      }
      for (const ending of endingsOf(events)) expect(ending).toEqual([...new Set(ending)]);
    });
  });

  test('D-14: a success stays one only with every handler of it done, and none failed', () => {
    always((plan, { end }) => {
      if (end.stop?.kind !== 'succeeded') return;
      for (const { id } of handlersFor(plan, 'succeeded')) {
        const { phase, outcome } = end.steps[id] ?? {};
        expect(phase).toBe('done');
        expect(outcome).not.toBe('failed');
      }
    });
  });

  test('D-14: a run that has stopped has run, or given up, every handler of its end', () => {
    always((plan, { end, events }) => {
      if (end.stop === null) return;
      const ended = events.findLast(({ type }) => type === 'handlers.started' || type === 'run.retried');
      const kind = ended?.type === 'handlers.started' ? ended.stop.kind : end.stop.kind;
      for (const { id } of handlersFor(plan, kind)) expect(end.steps[id]?.phase).toBe('done');
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

/** Work that is told apart by these; attempts, checks and conditions may come again within a pass. */
function onceKey(work: Work, state: RunState): string | undefined {
  if (work.do === 'openTask') return `${work.task}#${work.revision}`;
  if (!('step' in work)) return undefined;
  const attempt = `${work.step}#${work.pass}.${state.steps[work.step]?.attempt ?? 0}`;
  if (work.do === 'review') return `${attempt} review ${work.round}`;
  if (work.do === 'startChild') return `${attempt} child ${work.index}`;
  return work.do === 'expand' || work.do === 'collect' ? `${attempt} ${work.do}` : undefined;
}

/** D-14: it counts as succeeded whatever its checks say. */
function countsAnyway({ continueOn }: StepPlan): boolean {
  return continueOn?.markSuccess === true;
}

function takesAlong(plan: Plan, state: RunState, id: string): boolean {
  const { outcome, skippedBy } = state.steps[id] ?? {};
  return outcome === 'skipped' && (planStep(plan, id).skipsDependents ?? skippedBy !== null);
}

function isQuiet(state: RunState | undefined): boolean {
  return state !== undefined && !isBusy(state) && !hasStrays(state);
}

/** Of each ending the passes of handlers that began in it, each once. */
function endingsOf(events: readonly RunEvent[]): string[][] {
  const endings: Set<string>[] = [];
  let current: Set<string> | undefined;
  for (const event of events) {
    if (event.type === 'run.stopped') current = undefined;
    if (event.type === 'handlers.started') endings.push((current = new Set()));
    if (event.type === 'attempt.started') current?.add(`${event.step}#${event.pass}`);
  }
  return endings.map((passes) => [...passes].map((pass) => pass.split('#')[0] ?? ''));
}

function isStopped({ paused, held }: RunState): boolean {
  return paused !== null || held.length > 0;
}

function beginsAnything(work: Work): boolean {
  const begins = ['attempt', 'openTask', 'expand', 'startChild', 'openWorkspace', 'baseline', 'deliver'];
  return begins.includes(work.do) || (work.do === 'evaluate' && work.purpose === 'when');
}

function spendOf(event: RunEvent): number | undefined {
  if (event.type === 'attempt.finished') return event.result.spend.usd;
  if (event.type === 'child.settled') return event.toParent.spend.usd;
  const isSpending =
    event.type === 'attempt.lost' || event.type === 'checks.finished' || event.type === 'work.cancelled';
  return isSpending ? event.spend?.usd : undefined;
}
