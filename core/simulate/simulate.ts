import type { Plan } from '#core/plan/plan.ts';
import { planNow } from '#core/run/plan-now.ts';
import type { RunEvent } from '#core/run/event.ts';
import { type RunState, stepOf } from '#core/run/state.ts';
import { createCourse, type Simulated } from '#core/simulate/course.ts';
import { follow } from '#core/simulate/follow.ts';
import { goOn } from '#core/simulate/go-on.ts';
import { type SimulateOptions, withLimits } from '#core/simulate/options.ts';
import { readRecord } from '#core/simulate/record.ts';

/** A run to be simulated: a plan that never ran has no events. */
export interface Simulating {
  /** The plan that the run was started with. */
  plan: Plan;
  events: readonly RunEvent[];
  /** In place of the plan, from the start. */
  edited?: Plan;
  options: SimulateOptions;
  /** Events beyond the recorded ones after which the simulation is broken off; default 20,000. */
  mostEvents?: number;
}

export interface Simulation {
  /** The plan with what the options change. */
  plan: Plan;
  timeline: readonly Simulated[];
  state: RunState;
  /** How many events of the record were followed, of how many, and as how many events of the timeline. */
  followed: { events: number; of: number; simulated: number };
  /**
   * `ended`: the run stopped. `rests`: nothing would move it but a person: it is paused. `refused`: an answer that the
   * options or the record hold is not allowed. `unending`: broken off.
   */
  end: { kind: 'ended' | 'rests' | 'unending' } | { kind: 'refused'; reason: string };
}

export const mostEventsDefault = 20_000;

/**
 * Plays the law over what is recorded of a run, and over what is invented where nothing is (S-05): with a virtual clock,
 * without an agent, a command or any spend. The record is followed as long as the law decides what it did; from there on
 * recorded results are found again by their step, pass, attempt, round and check.
 */
export function simulate({ plan: original, events, edited, options, mostEvents }: Simulating): Simulation {
  const plan = withLimits(edited ?? original, options);
  const course = createCourse(plan, readRecord(events), options, events.length + (mostEvents ?? mostEventsDefault));
  if (events.length === 0) course.emit({ type: 'run.started', at: 1, runId: 'run_simulated' }, 'law');
  const followed = { events: follow(course, original), of: events.length, simulated: course.timeline.length };
  goOn(course);
  const state = course.state();
  const reason = course.refused();
  return {
    plan,
    timeline: course.timeline,
    state,
    followed,
    end: reason === null ? { kind: endOf(state, course.over()) } : { kind: 'refused', reason },
  };
}

function endOf(state: RunState, isOver: boolean): 'ended' | 'rests' | 'unending' {
  if (state.stop !== null) return 'ended';
  return isOver ? 'unending' : 'rests';
}

/** What became of a loop's budget. */
export interface LoopBudget {
  step: string;
  to: string;
  fired: number;
  /** Null = no limit. */
  limit: number | null;
  pushBacks: number;
}

/** How many passes of each step began, and what each loop used of its budget. */
export function countsOf({ plan: original, state }: Simulation): {
  passes: { step: string; passes: number }[];
  loops: LoopBudget[];
} {
  const plan = planNow(original, state);
  return {
    passes: plan.steps.map(({ id }) => ({ step: id, passes: stepOf(state, id).begun })),
    loops: plan.steps.flatMap(({ id, loop }) => {
      if (loop === undefined) return [];
      const { loops, pushBacks } = stepOf(state, id);
      return [{ step: id, to: loop.to, fired: loops, limit: loop.limit, pushBacks }];
    }),
  };
}
