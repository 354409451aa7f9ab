import { durationText } from '#core/plan/amounts.ts';
import { handlersOf } from '#core/plan/handlers.ts';
import type { OnExhausted, Plan } from '#core/plan/plan.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { LimitCode, PauseCode } from '#core/run/run-codes.ts';
import { planNow } from '#core/run/plan-now.ts';
import { isPassing, isWorking, type RunState, stepOf } from '#core/run/state.ts';
import { taskTimes } from '#core/task/times.ts';

const second = 1000;

/** The time limits that have run out, as the event that answers them (C7, E10); `undefined` while none has. */
export function timeExceeded(plan: Plan, state: RunState): RunEvent | undefined {
  const { timeSeconds, onTime } = plan.limits;
  const late = deadlineExceeded(plan, state);
  if (late !== undefined) return late;
  if (timeSeconds !== undefined && state.activeMs >= timeSeconds * second) {
    const more = `--time ${durationText(Math.ceil(state.activeMs / second) + timeSeconds)}`;
    return answer(state, onTime, {
      kind: 'timed_out',
      reason: `The run has worked for its limit of ${timeSeconds} s.`,
      more,
    });
  }
  return undefined;
}

/** The deadline counts everything, a pause too (E10). */
export function deadlineExceeded(plan: Plan, state: RunState): RunEvent | undefined {
  const { deadlineSeconds, onTime } = plan.limits;
  if (deadlineSeconds === undefined || state.now < state.countedFrom + deadlineSeconds * second) return undefined;
  const passed = Math.ceil((state.now - state.countedFrom) / second);
  const more = `--deadline ${durationText(passed + deadlineSeconds)}`;
  return answer(state, onTime, {
    kind: 'timed_out',
    reason: `The run's deadline of ${deadlineSeconds} s has passed.`,
    more,
  });
}

/** Asked before an agent starts: is any of the money left? */
export function spendExceeded(plan: Plan, state: RunState): RunEvent | undefined {
  const { spendUsd, onSpend } = plan.limits;
  const spent = state.spend.usd ?? 0;
  if (spendUsd === undefined || spent < spendUsd) return undefined;
  const reason = `The run has spent ${spent.toFixed(2)} USD of its limit of ${spendUsd} USD.`;
  return answer(state, onSpend, { kind: 'over_budget', reason, more: `--spend "${round(spent + spendUsd)} USD"` });
}

/** Cents are enough for a command that a person copies. */
function round(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** `more`: as much again, as an option of `raise`. */
interface Exceeded {
  kind: LimitCode;
  reason: string;
  more: string;
}

function answer(state: RunState, on: OnExhausted, { kind, reason, more }: Exceeded): RunEvent {
  if (pauses(on)) {
    const remedy = `setpoint raise ${state.runId} ${more}`;
    return { type: 'run.paused', at: state.now, code: kind, reason, remedy, ...(on === 'ask' ? { ask: true } : {}) };
  }
  const remedy = 'Raise the limit in the definition and start again, or retry the run.';
  return { type: 'run.ending', at: state.now, stop: { kind, reason, remedy } };
}

function pauses(on: OnExhausted): boolean {
  return on === 'pause' || on === 'ask';
}

/**
 * When the law must be asked again though nothing settles: the earliest wait that ends or limit that runs out, epoch
 * ms. It stays the same while the same work goes on, so that one timer serves many passes.
 */
export function wakeAt(original: Plan, state: RunState): number | undefined {
  const plan = planNow(original, state);
  if (state.handling !== null) return handlerWait(plan, state);
  if (state.stop !== null || state.ending !== null || isPassing(state)) return undefined;
  // What a person paused goes on to its verdict: its time counts, and its open questions have their times.
  const isPersons = state.paused?.code === ('person' satisfies PauseCode);
  const instants = [
    ...limitTimes(plan, state, isPersons),
    ...(state.paused === null || isPersons ? questionTimes(plan, state) : []),
    ...(state.paused === null ? waitsOf(state) : []),
  ];
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** The retry of a handler: nothing else of a run whose end is known is waited for. */
function handlerWait(plan: Plan, state: RunState): number | undefined {
  const waits = handlersOf(plan).flatMap(({ id }) => stepOf(state, id).notBefore ?? []);
  const ahead = waits.filter((notBefore) => notBefore > state.now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** A run that is paused cannot be paused again: its limits matter only where they end the run. */
function limitTimes(plan: Plan, state: RunState, isPersons: boolean): number[] {
  const { timeSeconds, deadlineSeconds, onTime } = plan.limits;
  if (state.paused !== null && pauses(onTime)) return [];
  const deadline = deadlineSeconds === undefined ? [] : [state.countedFrom + deadlineSeconds * second];
  const isCounted = (state.paused === null || isPersons) && isWorking(state);
  const time = timeSeconds === undefined || !isCounted ? [] : [state.now + timeSeconds * second - state.activeMs];
  return [...deadline, ...time];
}

/** The instants at which steps may start that wait for an interval or a window. */
function waitsOf(state: RunState): number[] {
  return Object.values(state.steps).flatMap(({ notBefore }) =>
    notBefore !== null && notBefore > state.now ? [notBefore] : [],
  );
}

/** Reminders, escalations and expiries of open questions (D5). */
function questionTimes(plan: Plan, state: RunState): number[] {
  return plan.steps.flatMap(({ id, work }) => {
    const task = state.steps[id]?.task ?? null;
    if (work.kind !== 'person' || task === null) return [];
    return taskTimes(work, task).flatMap(({ at }) => (at > state.now ? [at] : []));
  });
}
