import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { Command, Work } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';
import { wakeAt } from '#core/run/limits.ts';
import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import { next } from '#core/run/next.ts';
import { planNow } from '#core/run/plan-now.ts';
import { begun } from '#core/run/settle.ts';
import { initialState, type RunState } from '#core/run/state.ts';
import type { Course } from '#core/simulate/course.ts';
import { type SimulateOptions, withLimits } from '#core/simulate/options.ts';
import { outcomeFor, readEnd, type WorkEnd } from '#core/simulate/outcome-read.ts';
import { answerAsSaid, saidFor } from '#core/simulate/people.ts';
import { messageOf } from '#core/simulate/recorded-message.ts';
import { supply } from '#core/simulate/supply.ts';

/**
 * Lets the law decide beside the record, as long as it decides what the record holds: what happened to the run happens
 * again, in its order and at its times. Gives the index of the first event that is not followed; the number of events when
 * all of them are. `original` is the plan that the record was made by.
 */
export function follow(course: Course, original: Plan): number {
  const { events } = course.supplies.record;
  const beside = createBeside(original, events);
  const [first] = events;
  if (first === undefined) return 0;
  course.emit(first, 'recorded');
  beside.take(1);
  while (beside.at() < events.length && !course.over()) {
    const moved = decide(course, beside) || tellTime(course, beside) || answerAsSaid(course) || happen(course, beside);
    if (!moved) break;
  }
  return beside.at();
}

/** The record as far as it was followed. */
interface Beside {
  at(): number;
  event(): RunEvent | undefined;
  take(count: number): void;
  state(): RunState;
  plan: Plan;
}

function createBeside(plan: Plan, events: readonly RunEvent[]): Beside {
  let at = 0;
  let state = initialState(plan);
  return {
    plan,
    at: () => at,
    event: () => events[at],
    state: () => state,
    take(count) {
      for (const event of events.slice(at, at + count)) state = apply(plan, state, event);
      at += count;
    },
  };
}

/** The law's decisions, each of which must be the next event of the record. */
function decide(course: Course, beside: Beside): boolean {
  let moved = false;
  for (const command of next(course.plan, course.state())) {
    const recorded = beside.event();
    if (command.do === 'cancel') {
      course.cancel(command.work);
      continue;
    }
    const event = eventFor(command, recorded?.at ?? course.state().now);
    if (recorded === undefined || !isSame(event, recorded)) return moved;
    if (command.do === 'emit') course.emit(event, 'law');
    else course.begin(command, event);
    beside.take(1);
    moved = true;
  }
  return moved;
}

function eventFor(command: Exclude<Command, { do: 'cancel' }>, at: number): RunEvent {
  return command.do === 'emit' ? command.event : begun(command, at);
}

/** A limit or a wait that the recorded run did not have then. Where both have it, the record says when it was noticed. */
function tellTime(course: Course, beside: Beside): boolean {
  const recorded = beside.event();
  const state = course.state();
  const at = wakeAt(course.plan, state);
  if (recorded === undefined || at === undefined || at <= state.now || at >= recorded.at) return false;
  if (at === wakeAt(beside.plan, beside.state())) return false;
  course.emit({ type: 'timer.fired', at }, 'law');
  return true;
}

/** What happened next to the recorded run happens to this one, unless the law has something else to do first. */
function happen(course: Course, beside: Beside): boolean {
  const event = beside.event();
  if (event === undefined || !isAsDue(course, beside)) return false;
  const isLoss = event.type === 'run.reseated' || event.type === 'run.forked';
  if (!isLoss && event.type !== 'timer.fired') {
    return messageOf(event) === undefined ? settle(course, beside, event) : hear(course, beside, event);
  }
  if (isLoss) course.loseAll();
  course.emit(event, 'recorded');
  beside.take(1);
  return true;
}

/** A decision that was due then, too, and was overtaken by the world, may be again. */
function isAsDue(course: Course, beside: Beside): boolean {
  const [due] = decisions(course.plan, course.state());
  const [then] = decisions(beside.plan, beside.state());
  if (due === undefined) return true;
  return then !== undefined && isSame(due, then);
}

function decisions(plan: Plan, state: RunState): RunEvent[] {
  return next(plan, state).flatMap((command) => (command.do === 'cancel' ? [] : [eventFor(command, state.now)]));
}

/** A piece of work ends as it did; false when this run has no such work under way. */
function settle(course: Course, beside: Beside, { at }: RunEvent): boolean {
  const { events } = course.supplies.record;
  const end = readEnd(events, beside.at());
  const work = end === undefined ? undefined : course.flying.get(end.name)?.work;
  if (end === undefined || work === undefined || !isOfPass(work, end)) return false;
  if ('fault' in end) {
    const count = course.fault(end.name, { fault: end.fault, origin: 'recorded' }, at);
    // A fault that ends the run says so at once.
    beside.take(count > 1 && events[beside.at() + 1]?.type === 'run.ending' ? 2 : 1);
    return true;
  }
  const value = outcomeFor(work, end.outcome);
  if (value === undefined) return false;
  course.settle(
    end.name,
    supply(planNow(course.plan, course.state()), course.supplies, work, { value, tookMs: 0 }),
    at,
  );
  beside.take(end.length);
  return true;
}

function isOfPass(work: Work, { pass }: WorkEnd): boolean {
  return pass === undefined || !('pass' in work) || work.pass === pass;
}

/** What a person, or a child run, said: judged anew, by what this run has come to. */
function hear(course: Course, beside: Beside, event: RunEvent): boolean {
  const { options } = course.supplies;
  if (event.type === 'task.decided' && saidFor(options, event.step, event.revision) !== undefined) {
    beside.take(1);
    return true;
  }
  const adapted = adaptedTo(options, event);
  const message = messageOf(adapted);
  if (message === undefined || !isHeard(course, beside, event)) return false;
  const isJudged = adapted.type === 'task.decided' || adapted.type === 'child.settled';
  const heard = isJudged ? eventOf(course.plan, course.state(), message, event.at) : adapted;
  if (heard !== undefined) course.emit(heard, 'recorded');
  beside.take(1);
  return true;
}

/** What the recorded run would refuse, too, came on a way on which it was not asked. */
function isHeard(course: Course, beside: Beside, event: RunEvent): boolean {
  const message = messageOf(event);
  if (message === undefined) return false;
  if (may(course.plan, course.state(), message).kind === 'applied') return true;
  return may(beside.plan, beside.state(), message).kind === 'refused';
}

/** Limits that the options give are not changed any more by what people did. */
function adaptedTo(options: SimulateOptions, event: RunEvent): RunEvent {
  if (event.type === 'run.edited') return { ...event, plan: withLimits(event.plan, options) };
  if (event.type !== 'run.raised') return event;
  const { passes, timeSeconds, ...limits } = event.limits;
  return {
    ...event,
    limits: {
      ...limits,
      ...(passes === undefined || options.passes !== undefined ? {} : { passes }),
      ...(timeSeconds === undefined || options.timeSeconds !== undefined ? {} : { timeSeconds }),
    },
  };
}

const identity = ['step', 'pass', 'attempt', 'index', 'round', 'check', 'purpose', 'revision', 'code', 'to'] as const;

/** The same decision or beginning, whatever its words and its time. */
function isSame(a: RunEvent, b: RunEvent): boolean {
  const facts = (event: RunEvent): unknown[] => {
    const fields: Partial<Record<string, unknown>> = event;
    const stop = 'stop' in event ? (typeof event.stop === 'string' ? event.stop : event.stop.kind) : '';
    return [event.type, stop, ...identity.map((key) => fields[key] ?? null)];
  };
  return JSON.stringify(facts(a)) === JSON.stringify(facts(b));
}
