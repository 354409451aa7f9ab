import type { RunMessage, RunMessageOf } from '#core/contract/seat.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { StopKind } from '#core/run/stop.ts';
import type { DecisionKind } from '#core/task/question.ts';
import type { Live } from './harness.ts';
import { textOf } from './outcomes.ts';
import type { World } from './world.ts';

/** What people and child runs do to a run that is played. */

/** Resolves with the newest event of a type once `count` of them are recorded. */
export async function recorded<T extends RunEvent['type']>(world: World, type: T, count = 1) {
  const found = () =>
    world.recorded.flatMap(({ event }) => (event.type === type ? [event as Extract<RunEvent, { type: T }>] : []));
  await world.until(() => found().length >= count);
  return found()[count - 1] as Extract<RunEvent, { type: T }>;
}

export interface Answer {
  kind: DecisionKind;
  by?: string;
  comment?: string;
  /** Which opening of the question it answers. */
  revision?: number;
  /** Whose question; default `approve`. */
  step?: string;
}

/** A decision on the question of a step, once it is open. */
export async function decisionOn(world: World, answer: Answer): Promise<RunMessageOf<'decide'>> {
  const { kind, by = 'ann', comment = '', revision = 1, step = 'approve' } = answer;
  await world.until(({ recorded: events }) =>
    events.some(({ event }) => event.type === 'task.opened' && event.step === step && event.revision === revision),
  );
  const opened = world.recorded.find(({ event }) => event.type === 'task.opened' && event.step === step)?.event;
  const task = opened?.type === 'task.opened' ? opened.task : '';
  const decision = { kind, by, comment, text: textOf(comment), digest: `${by}:${kind}:${comment}` };
  return { kind: 'decide', id: `${step}:${revision}:${by}:${kind}`, by, task, revision, decision };
}

export async function decides({ world, send }: Live, answer: Answer): Promise<void> {
  await send(await decisionOn(world, answer));
}

/** The child run of an item, the newest that was started and has not ended, tells its end. */
export async function childEnds({ world, send }: Live, index: number, stop: StopKind = 'succeeded'): Promise<void> {
  await world.until((now) => aliveChild(now, index) !== undefined);
  const child = aliveChild(world, index);
  if (child !== undefined) await send(endOf(child, stop));
}

type Started = Extract<RunEvent, { type: 'child.started' }>;

function aliveChild({ recorded: events }: World, index: number): Started | undefined {
  const ended = new Set(events.flatMap(({ event }) => (event.type === 'child.settled' ? [event.runId] : [])));
  const started = events.flatMap(({ event }) => (event.type === 'child.started' ? [event] : []));
  return started.findLast((child) => child.index === index && !ended.has(child.runId));
}

function endOf({ runId, step, pass, index }: Started, stop: StopKind): RunMessage {
  const spend = { usd: 0.5, estimated: false, inputTokens: 1, outputTokens: 1 };
  const toParent = { output: textOf(`output of ${index}`), outputs: {}, spend, activeMs: 5 };
  return { kind: 'childSettled', id: `end of ${runId}`, step, pass, index, runId, stop, toParent };
}
