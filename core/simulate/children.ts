import type { RunEventOf } from '#core/run/event.ts';
import { eventOf } from '#core/run/message-event.ts';
import { noSpend } from '#core/run/state.ts';
import type { Course } from '#core/simulate/course.ts';
import { inventedChild } from '#core/simulate/invent.ts';
import { childPlace } from '#core/simulate/place.ts';
import type { ChildEnd } from '#core/simulate/record.ts';
import { fails, type Origin } from '#core/simulate/supply.ts';

type Started = RunEventOf<'child.started'>;

/** The end that a child run is to tell, and when. */
export interface ChildToEnd {
  started: Started;
  end: ChildEnd;
  origin: Origin;
  at: number;
}

/** Tells the ends of the child runs that are alive; each end is drawn once. */
export function childrenOf(course: Course): () => ChildToEnd[] {
  const drawn = new Map<string, ChildToEnd>();
  return () => {
    const { steps } = course.state();
    return Object.values(steps).flatMap(({ call, strays }) => {
      const alive = (call?.children ?? []).filter(({ settled }) => settled === null);
      const cancelled = strays.filter(({ told }) => told === 'yes');
      return [
        ...alive.map(({ runId }) => endOf(course, drawn, runId)),
        ...cancelled.map(({ runId }) => cancelledEnd(course, runId)),
      ];
    });
  };
}

function endOf(course: Course, drawn: Map<string, ChildToEnd>, runId: string): ChildToEnd {
  const known = drawn.get(runId);
  if (known !== undefined) return known;
  const started = startOf(course, runId);
  const { record, durations, finished, options } = course.supplies;
  const place = childPlace(started, finished);
  const recorded = record.children.get(place);
  const { value, tookMs } = recorded ?? inventedChild(place, durations);
  const at = started.at + tookMs;
  const found: ChildToEnd = fails(options, started)
    ? { started, end: { ...value, stop: 'failed' }, origin: 'option', at }
    : { started, end: value, origin: recorded === undefined ? 'invented' : 'recorded', at };
  drawn.set(runId, found);
  return found;
}

/** It ends at once, as the law wants it. */
function cancelledEnd(course: Course, runId: string): ChildToEnd {
  const toParent = { outputs: {}, spend: noSpend, activeMs: 0 };
  return { started: startOf(course, runId), end: { stop: 'cancelled', toParent }, origin: 'law', at: 0 };
}

function startOf(course: Course, runId: string): Started {
  for (const { event } of course.timeline.toReversed()) {
    if (event.type === 'child.started' && event.runId === runId) return event;
  }
  throw new TypeError(`child run ${runId} was never started`);
}

/** The child tells its end; the law judges what it means. */
export function tellEnd(course: Course, { started, end, origin }: ChildToEnd, at: number): void {
  const { step, pass, index, runId } = started;
  const message = { kind: 'childSettled' as const, id: `end of ${runId}`, step, pass, index, runId, ...end };
  const event = eventOf(course.plan, course.state(), message, at);
  if (event !== undefined) course.emit(event, origin);
}
