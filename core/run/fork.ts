import { isHandler } from '#core/plan/handlers.ts';
import type { Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import type { RunState } from '#core/run/state.ts';

/** A pass of a step: where a run is forked. */
export interface PassPlace {
  step: string;
  pass: number;
}

/** `seq`: the last event that the fork shares with the first run; `state`: the first run's after it. */
export type ForkPoint = { kind: 'found'; seq: number; state: RunState } | { kind: 'none'; passes: PassPlace[] };

/**
 * Where a run can be forked (E8): after the attempt of a pass, whose checks the fork judges itself; at a question, after
 * what the answer led to; never at a handler (D-14). `none` tells the passes that there are, those of the step itself where it has any. `plan` is
 * the one that the run was started with.
 */
export function forkPoint(plan: Plan, events: readonly StoredEvent[], place: PassPlace): ForkPoint {
  const asks = new Set(plan.steps.flatMap(({ id, work }) => (work.kind === 'person' ? [id] : [])));
  const all = events.filter(({ event }) => !('step' in event && isHandler(plan, event.step)));
  const at = all.findLast(({ event }) => {
    const found = outcomeOf(asks, event);
    return found?.step === place.step && found.pass === place.pass;
  })?.seq;
  if (at === undefined) return { kind: 'none', passes: passesLike(asks, all, place.step) };
  const shared = events.filter(({ seq }) => seq <= at);
  const state = fold(
    plan,
    shared.map(({ event }) => event),
  );
  return { kind: 'found', seq: at, state };
}

/** A rejection that failed its step is no place to go on from: from the answer on, the question is asked again. */
function outcomeOf(asks: ReadonlySet<string>, event: RunEvent): PassPlace | undefined {
  if (event.type === 'attempt.finished') return event;
  const isAnswer = event.type === 'task.decided' && event.final;
  const isLedTo = event.type === 'step.succeeded' || event.type === 'loop.fired';
  return (isAnswer || isLedTo) && asks.has(event.step) ? event : undefined;
}

function passesLike(asks: ReadonlySet<string>, events: readonly StoredEvent[], step: string): PassPlace[] {
  const found = new Map<string, PassPlace>();
  for (const { event } of events) {
    const outcome = outcomeOf(asks, event);
    if (outcome !== undefined) found.set(`${outcome.step}:${outcome.pass}`, { step: outcome.step, pass: outcome.pass });
  }
  const all = [...found.values()];
  const own = all.filter((place) => place.step === step);
  return own.length > 0 ? own : all;
}
