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

const onTask = {
  task: z.object({ id: z.string(), revision: z.number().int(), step: z.string(), pass: z.number().int() }),
  /** The question, and who may answer; empty = everyone who may use the project. */
  ask: text,
  who: z.array(z.string()),
  commands,
};

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
  z.object({ type: z.literal('task.opened'), ...onTask }),
  /** `count`: how often it was asked again. */
  z.object({ type: z.literal('task.reminded'), ...onTask, count: z.number().int() }),
  /** `to`: who is asked now, too. */
  z.object({ type: z.literal('task.escalated'), ...onTask, to: z.array(z.string()) }),
]);
export type NotificationFacts = z.infer<typeof NotificationFacts>;

export type NotificationType = NotificationFacts['type'];
export const notificationTypes: readonly NotificationType[] = NotificationFacts.options.map(
  ({ shape }) => shape.type.value,
);

/** Which run it is about. */
export interface NotifiedRun {
  id: string;
  name: string;
  project: string;
  labels: string[];
  url: string;
}

/** What surrounds the facts. `id` is the run's id and the event's number, the same with every try; `at` is ISO 8601. */
export interface NotificationHead {
  id: string;
  at: string;
  /** Where to look: at the task, or at the run. It only shows (D6). */
  url: string;
  run: NotifiedRun;
}

/** As it is sent. */
export type Notification = NotificationHead & NotificationFacts;

/** `baseUrl`: of the API as people reach it, without a slash at its end. */
export function notificationUrl(baseUrl: string, runId: string, facts: NotificationFacts): string {
  if (!('task' in facts)) return `${baseUrl}/v1/runs/${runId}`;
  return `${baseUrl}/v1/tasks/${encodeURIComponent(facts.task.id)}`;
}

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
  if (event.type === 'task.opened') return opened(event);
  if (event.type === 'task.reminded') return { type: event.type, ...waiting(event), count: event.count };
  if (event.type === 'task.escalated') return { type: event.type, ...waiting(event), to: event.to };
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

function opened(event: RunEventOf<'task.opened'>): NotificationFacts {
  return { type: event.type, ...waiting(event), ...questionOf(event) };
}

function questionOf(event: RunEventOf<'task.opened'>) {
  const { ask, who, task, revision, backTo } = event;
  const commands = decidingCommands(event);
  if (backTo.length > 0) commands.push(`setpoint push-back ${task} --revision ${revision} --message "…"`);
  return { ask: short(ask.text), who, commands };
}

/** A later event of a task does not repeat the question: `withQuestion` puts it in once the record is at hand. */
function waiting(event: RunEventOf<'task.opened' | 'task.reminded' | 'task.escalated'>) {
  const { task, revision, step, pass } = event;
  return { task: { id: task, revision, step, pass }, ask: '', who: [], commands: decidingCommands(event) };
}

/** They name the revision that is told of (D6): whoever reads it late decides nothing that was not shown. */
function decidingCommands({ task, revision }: { task: string; revision: number }): string[] {
  const named = `${task} --revision ${revision}`;
  return [`setpoint approve ${named}`, `setpoint reject ${named} --message "…"`];
}

/** A reminder or an escalation with the question that its task was opened with. */
export function withQuestion(
  facts: NotificationFacts,
  question: RunEventOf<'task.opened'> | undefined,
): NotificationFacts {
  if (question === undefined) return facts;
  if (facts.type === 'task.reminded') return { ...facts, ...questionOf(question) };
  if (facts.type !== 'task.escalated') return facts;
  const asked = questionOf(question);
  // Everyone may answer already where nobody is named.
  const who = asked.who.length === 0 ? [] : [...new Set([...asked.who, ...facts.to])];
  return { ...facts, ...asked, who };
}

function short(whole: string): string {
  return excerpt(whole, textCharacters);
}
