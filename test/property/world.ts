import type { AttemptInput } from '#core/contract/activities.ts';
import type { RunMessage } from '#core/contract/seat.ts';
import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import { type Work, workName } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';
import { wakeAt } from '#core/run/limits.ts';
import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import { next } from '#core/run/next.ts';
import { begun, cancelledFault, faulted, settled } from '#core/run/settle.ts';
import { initialState, restoredState, type RunState } from '#core/run/state.ts';
import { attemptInput } from '#core/run/work-input.ts';

import { type Child, childName, createFamily } from './family.ts';
import { drawMessage, drawRetry, mover } from './messages.ts';
import { outcomeOf } from './outcomes.ts';

/** Draws a number below `below`: the only randomness of a simulation, so that fast-check can shrink it. */
export type Draw = (below: number) => number;

export interface Started {
  work: Work;
  state: RunState;
  input?: AttemptInput;
}

/** A message that was applied, and the state just after it. */
export interface Said {
  message: RunMessage;
  after: RunState;
}

export interface Simulation {
  events: RunEvent[];
  states: RunState[];
  started: Started[];
  said: Said[];
  end: RunState;
  /** Work that was under way at the same time, after each event. */
  together: Work[][];
  /** Child runs that had not ended, at the end. */
  alive: Child[];
  /** Nobody and nothing moved it any more: it is not that the simulation was broken off. */
  rested: boolean;
}

const mostTurns = 6000;
const mostTroubles = 40;

/** What the simulation may do to a run beside settling its work. */
export interface Trouble {
  crashes: boolean;
  messages: boolean;
  /** Passes the state through JSON after every event, as continue-as-new does. */
  continueAsNew: boolean;
}

/** Plays a plan against a world that draws every outcome: results, late results, faults, crashes, people, child runs. */
export function simulate(plan: Plan, draw: Draw, trouble: Trouble): Simulation {
  const world = createWorld(plan, draw, trouble);
  world.emit({ type: 'run.started', at: 1, runId: 'run_1' });
  let rested = false;
  for (let turn = 0; turn < mostTurns && !rested; turn += 1) {
    if (world.state().stop === null) rested = !decide(plan, world) && !world.happen();
    else rested = !world.revive();
  }
  return { ...world.record, end: world.state(), alive: world.alive(), rested };
}

/** One round of the law; false when nothing was due. */
function decide(plan: Plan, world: World): boolean {
  const commands = next(plan, world.state());
  let moved = false;
  for (const command of commands) {
    if (command.do === 'emit') world.emit(command.event);
    else if (command.do === 'cancel') world.cancel(command.work);
    else world.start(command);
    moved ||= command.do !== 'cancel';
  }
  return moved;
}

/** One in so many: an attempt is looked up and goes on, most else ends the run. */
function oddsOfCrash(work: Work): number {
  return work.do === 'attempt' || work.do === 'recover' ? 12 : 150;
}

type World = ReturnType<typeof createWorld>;

function createWorld(plan: Plan, draw: Draw, trouble: Trouble) {
  let state = initialState(plan);
  let clock = 1;
  let troubles = 0;
  const inFlight = new Map<string, { work: Work; cancelled: boolean }>();
  const family = createFamily();
  const record = { events: [], states: [], started: [], said: [], together: [] } as Pick<
    Simulation,
    'events' | 'states' | 'started' | 'said' | 'together'
  >;

  function emit(event: RunEvent): void {
    state = apply(plan, state, event);
    if (trouble.continueAsNew) state = restoredState(plan, JSON.parse(JSON.stringify(state)) as RunState);
    record.events.push(event);
    record.states.push(state);
    record.together.push([...inFlight.values()].map(({ work }) => work));
  }

  function start(work: Work): void {
    const input = work.do === 'attempt' ? attemptInput({ plan, inputs: {} }, state, work) : undefined;
    record.started.push({ work, state, ...(input === undefined ? {} : { input }) });
    inFlight.set(workName(work), { work, cancelled: false });
    emit(begun(work, clock));
    // A child can work, and even end, before its start is answered.
    if (work.do === 'startChild' && draw(2) === 0) family.born(state, work);
  }

  function cancel(name: string): void {
    const entry = inFlight.get(name);
    if (entry !== undefined) entry.cancelled = true;
  }

  function settleOne(): void {
    const entries = [...inFlight.entries()];
    const picked = entries[draw(entries.length)];
    if (picked === undefined) return;
    const [name, { work, cancelled }] = picked;
    inFlight.delete(name);
    const ended = cancelled && draw(2) === 0;
    const crashed = !ended && trouble.crashes && draw(oddsOfCrash(work)) === 0;
    // What could not be started for good has left nothing.
    if (crashed && work.do === 'startChild') family.forget(childName(state, work));
    const fault = ended ? cancelledFault : 'host/crashed';
    for (const event of ended || crashed ? faulted(state, work, { code: fault, message: 'drawn' }, clock) : done(work))
      emit(event);
  }

  function done(work: Work): RunEvent[] {
    if (work.do === 'startChild') family.born(state, work);
    if (work.do === 'cancelChild') family.cancel(work.runId);
    return settled(plan, state, work, outcomeOf(state, work, draw), clock);
  }

  /** The seat is lost: nothing that was under way ever answers. */
  function lose(): void {
    for (const { work } of inFlight.values()) {
      // A start that was lost is made again, under the same name, while its pass is the current one.
      if (work.do === 'startChild') family.forget(childName(state, work));
    }
    inFlight.clear();
    emit({ type: 'run.reseated', at: clock, seat: 2 });
  }

  function say(message: RunMessage | undefined): boolean {
    if (message === undefined || may(plan, state, message).kind === 'refused') return false;
    const event = eventOf(plan, state, message, clock);
    if (event === undefined) return false;
    emit(event);
    record.said.push({ message, after: state });
    return true;
  }

  /** Something happens in the world; false when nothing can. */
  function happen(): boolean {
    clock += draw(2000);
    const kind = draw(24);
    if (trouble.crashes && kind === 0 && troubles < mostTroubles) {
      troubles += 1;
      lose();
      return true;
    }
    if (trouble.messages && kind < 5 && troubles < mostTroubles) {
      troubles += 1;
      const drawn = drawMessage(plan, state, { draw, id: `message_${draw(4 * mostTroubles)}` });
      if (say(drawn)) return true;
    }
    if (family.alive().length > 0 && (inFlight.size === 0 || draw(3) === 0)) {
      return say(family.end(draw, `child_end_${record.events.length}`));
    }
    if (inFlight.size > 0) {
      settleOne();
      return true;
    }
    return timePasses();
  }

  /** A run that has ended is retried by somebody, now and then. */
  function revive(): boolean {
    if (!trouble.messages || troubles >= mostTroubles || draw(2) === 0) return false;
    troubles += 1;
    return say(drawRetry(plan, { draw, id: `retry_${record.events.length}` }));
  }

  function timePasses(): boolean {
    const at = wakeAt(plan, state);
    // Somebody moves it before its time, or because nothing else would.
    if (at === undefined || draw(3) === 0) {
      const isPatient = troubles >= 2 * mostTroubles;
      troubles += 1;
      if (!isPatient && say(mover(plan, state, { draw, id: `move_${record.events.length}` }))) return true;
    }
    if (at === undefined) return false;
    clock = Math.max(clock, at);
    emit({ type: 'timer.fired', at: clock });
    return true;
  }

  return { record, state: () => state, alive: () => family.alive(), emit, start, cancel, happen, revive };
}
