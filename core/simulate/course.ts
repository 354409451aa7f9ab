import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import { type Work, workName } from '#core/run/command.ts';
import type { FaultSeen, RunEvent } from '#core/run/event.ts';
import { planNow } from '#core/run/plan-now.ts';
import { faulted, settled } from '#core/run/settle.ts';
import { initialState, type RunState } from '#core/run/state.ts';
import { createFinished } from '#core/simulate/place.ts';
import { durationsOf } from '#core/simulate/invent.ts';
import type { SimulateOptions } from '#core/simulate/options.ts';
import type { RunRecord } from '#core/simulate/record.ts';
import { type Origin, type Supplied, type Supplies, supply } from '#core/simulate/supply.ts';

/** An event of a simulation; its `at` is virtual, epoch ms of the run's own start on. */
export interface Simulated {
  event: RunEvent;
  origin: Origin;
}

/** Work that is under way in a simulation. */
export interface Flying {
  work: Work;
  begunAt: number;
  cancelled: boolean;
  /** What it will give; drawn once. */
  supplied: Supplied | null;
}

/** A simulated run so far: the one place that changes, and everything about it that is not the law's. */
export interface Course {
  readonly plan: Plan;
  readonly supplies: Supplies;
  readonly timeline: readonly Simulated[];
  readonly flying: ReadonlyMap<string, Flying>;
  state(): RunState;
  emit(event: RunEvent, origin: Origin): void;
  begin(work: Work, event: RunEvent): void;
  cancel(name: string): void;
  /** A seat is lost: nothing that is under way answers any more. */
  loseAll(): void;
  supplied(flying: Flying): Supplied;
  settle(name: string, given: Supplied, at: number): void;
  /** Gives the number of events. */
  fault(name: string, end: { fault: FaultSeen; origin: Origin }, at: number): number;
  /** Something that the options or the record want cannot be: the simulation ends here. */
  refuse(reason: string): void;
  /** It can go on no further: what was wanted is refused, or there are `mostEvents` already. */
  over(): boolean;
  refused(): string | null;
}

export function createCourse(plan: Plan, record: RunRecord, options: SimulateOptions, mostEvents: number): Course {
  let state = initialState(plan);
  let refused: string | null = null;
  const supplies = { record, options, durations: durationsOf(options.seed), finished: createFinished() };
  const timeline: Simulated[] = [];
  const flying = new Map<string, Flying>();

  function emit(event: RunEvent, origin: Origin): void {
    state = apply(plan, state, event);
    supplies.finished.see(event);
    timeline.push({ event, origin });
  }

  function taken(name: string): Work {
    const found = flying.get(name);
    if (found === undefined) throw new TypeError(`${name} has nothing under way`);
    flying.delete(name);
    return found.work;
  }

  return {
    plan,
    supplies,
    timeline,
    flying,
    state: () => state,
    emit,
    begin(work, event) {
      flying.set(workName(work), { work, begunAt: event.at, cancelled: false, supplied: null });
      emit(event, 'law');
    },
    cancel(name) {
      const found = flying.get(name);
      if (found !== undefined) found.cancelled = true;
    },
    loseAll: () => flying.clear(),
    supplied(found) {
      found.supplied ??= supply(planNow(plan, state), supplies, found.work);
      return found.supplied;
    },
    settle(name, { value, origin, origins }, at) {
      for (const event of settled(plan, state, taken(name), value, at)) {
        emit(event, event.type === 'check.judged' ? (origins.get(event.check) ?? origin) : origin);
      }
    },
    fault(name, { fault, origin }, at) {
      const events = faulted(state, taken(name), fault, at);
      for (const event of events) emit(event, origin);
      return events.length;
    },
    refuse(reason) {
      refused ??= reason;
    },
    over: () => refused !== null || timeline.length >= mostEvents,
    refused: () => refused,
  };
}
