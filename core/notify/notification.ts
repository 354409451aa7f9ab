import { z } from 'zod';

import type { RecordInput } from '#core/contract/activities.ts';
import { present } from '#core/definition/present.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import { Stop, StopKind } from '#core/run/stop.ts';
import { RunSummary } from '#core/run/summary.ts';
import { excerpt } from '#core/text/excerpt.ts';

/** How much of a text a notification carries, in characters: it calls somebody, the run has the whole. */
export const textCharacters = 1_000;

const text = z.string().max(textCharacters);
/** Commands that show or decide; a link only shows (D6). */
const commands = z.array(z.string());

const Delivered = RunSummary.pick({ commit: true, branch: true }).extend({
  /** `nothing_to_deliver`: the tree equals the base. Absent where the run did not get that far. */
  outcome: RunSummary.shape.delivery,
});

/** What a notification tells, by its type, before it is known who hears it. */
export const NotificationFacts = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run.ended'),
    stop: Stop.extend({ reason: text, remedy: text.optional() }),
    delivery: Delivered,
    passes: z.number().int(),
    spendUsd: z.number(),
    commands,
  }),
  z.object({ type: z.literal('run.paused'), code: z.string(), reason: text, remedy: text, commands }),
  z.object({
    type: z.literal('step.failed'),
    step: z.string(),
    pass: z.number().int(),
    reason: text,
    /** True when the run goes on without it (continueOnError); else `stop` is how the run ends for it. */
    continued: z.boolean(),
    stop: StopKind,
    commands,
  }),
]);
export type NotificationFacts = z.infer<typeof NotificationFacts>;

export type NotificationType = NotificationFacts['type'];
export const notificationTypes: readonly NotificationType[] = ['run.ended', 'run.paused', 'step.failed'];

/** Which run it is about. `url` only shows (D6). */
export interface NotifiedRun {
  id: string;
  name: string;
  project: string;
  labels: string[];
  url: string;
}

/** As it is sent. `id` is the run's id and the event's number, the same with every try; `at` is ISO 8601. */
export type Notification = { id: string; at: string; run: NotifiedRun } & NotificationFacts;

/** What the events of a batch tell people, each with the number of its event, in order. Total: it never throws. */
export function notificationsOf({
  runId,
  events,
  summary,
}: Pick<RecordInput, 'runId' | 'events' | 'summary'>): { seq: number; facts: NotificationFacts }[] {
  return events.flatMap(({ seq, event }) => {
    const facts = factsOf(event, { runId, summary });
    return facts === undefined ? [] : [{ seq, facts }];
  });
}

export function notificationId(runId: string, seq: number): string {
  return `${runId}:${String(seq)}`;
}

interface Told {
  runId: string;
  summary: RunSummary;
}

/** V-17: a step that loops has not failed, so nothing is told of it before its loop is used up. */
function factsOf(event: RunEvent, told: Told): NotificationFacts | undefined {
  if (event.type === 'run.stopped') return ended(event, told);
  if (event.type === 'run.paused') return paused(event, told);
  if (event.type === 'step.failed') return failed(event, told);
  return undefined;
}

function ended({ stop }: RunEventOf<'run.stopped'>, { runId, summary }: Told): NotificationFacts {
  const { delivery: outcome, commit, branch, passes, spendUsd } = summary;
  const { kind, code, reason, remedy } = stop;
  return {
    type: 'run.ended',
    stop: {
      kind,
      reason: short(reason),
      ...present({ code, remedy: remedy === undefined ? undefined : short(remedy) }),
    },
    delivery: present({ outcome, commit, branch }),
    passes,
    spendUsd,
    commands: [`setpoint show ${runId}`],
  };
}

function paused({ code, reason, remedy }: RunEventOf<'run.paused'>, { runId }: Told): NotificationFacts {
  return {
    type: 'run.paused',
    code,
    reason: short(reason),
    remedy: short(remedy),
    commands: [`setpoint show ${runId}`],
  };
}

function failed(event: RunEventOf<'step.failed'>, { runId }: Told): NotificationFacts {
  const { step, pass, reason, continued, stop } = event;
  return {
    type: 'step.failed',
    step,
    pass,
    reason: short(reason),
    continued,
    stop,
    commands: [`setpoint logs ${runId} --step ${step}`],
  };
}

function short(whole: string): string {
  return excerpt(whole, textCharacters);
}
