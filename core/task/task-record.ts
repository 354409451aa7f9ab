import { z } from 'zod';

import { unreachable } from '#core/exhaustive.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import { Decision, Question } from '#core/task/question.ts';

export const TaskStatus = z.enum(['open', 'decided', 'closed']);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** What the record tells of one revision of a task. Times are epoch milliseconds. */
export const TaskRecord = z.object({
  pass: z.number().int(),
  question: Question,
  /** By the number of their event, as text. */
  decisions: z.record(z.string(), z.object({ at: z.number(), decision: Decision, final: z.boolean() })),
  reminders: z.number().int(),
  /** Who is asked, too; absent until then. */
  escalatedTo: z.array(z.string()).optional(),
  /** Why it closed without a decision. */
  closed: z.string().optional(),
});
export type TaskRecord = z.infer<typeof TaskRecord>;

/**
 * What a batch of events changes of a task: a part to be merged into the record of the same revision, or its whole where the
 * revision begins in the batch. Merging one twice, or late, changes nothing: decisions have keys, reminders count up, and a
 * task that is no longer open stays as it is.
 */
export interface TaskChange {
  task: string;
  step: string;
  revision: number;
  status: TaskStatus;
  /** Epoch ms of the last event. */
  at: number;
  /** Epoch ms at which it opened; absent where that was before the batch. */
  openedAt?: number;
  record: Partial<TaskRecord>;
}

/** The changes of a batch, one a task: of a task that was opened again in it only the newest revision counts. */
export function taskChanges(events: readonly StoredEvent[]): TaskChange[] {
  const changes = new Map<string, TaskChange>();
  for (const { seq, event } of events) {
    if (!isTaskEvent(event)) continue;
    const before = changes.get(event.task);
    const same = before !== undefined && before.revision >= event.revision ? before : undefined;
    const change = changed(same ?? untouched(event), event, seq);
    if (before === undefined || before.revision <= event.revision) changes.set(event.task, change);
  }
  return [...changes.values()];
}

type TaskEvent = Extract<RunEvent, { task: string }>;

function isTaskEvent(event: RunEvent): event is TaskEvent {
  return 'task' in event && event.type !== 'task.opening' && event.type !== 'task.failed';
}

function untouched({ task, step, revision, at }: TaskEvent): TaskChange {
  return { task, step, revision, status: 'open', at, record: {} };
}

function changed(change: TaskChange, event: TaskEvent, seq: number): TaskChange {
  const { at } = event;
  switch (event.type) {
    case 'task.opened':
      return { ...change, at, openedAt: at, record: openedRecord(event) };
    case 'task.decided': {
      const { decision, final } = event;
      const decisions = { ...change.record.decisions, [seq]: { at, decision, final } };
      return withPart(change, { at, status: final ? 'decided' : change.status }, { decisions });
    }
    case 'task.reminded':
      return withPart(change, { at }, { reminders: event.count });
    case 'task.escalated':
      return withPart(change, { at }, { escalatedTo: event.to });
    case 'task.expired':
      return withPart(change, { at, status: 'closed' }, { closed: 'Its time ran out before anybody decided.' });
    case 'task.closed':
      return withPart(change, { at, status: 'closed' }, { closed: event.reason });
    case 'task.opening':
    case 'task.failed':
      return change;
    default:
      return unreachable(event);
  }
}

function withPart(
  change: TaskChange,
  head: Partial<Pick<TaskChange, 'at' | 'status'>>,
  part: Partial<TaskRecord>,
): TaskChange {
  return { ...change, ...head, record: { ...change.record, ...part } };
}

function openedRecord(event: Extract<TaskEvent, { type: 'task.opened' }>): TaskRecord {
  const { type: _type, at: _at, step: _step, pass, task: _task, revision: _revision, ...question } = event;
  return { pass, question, decisions: {}, reminders: 0 };
}

/** Who may decide by now: those of the question, and those who were asked since. Empty = everyone. */
export function whoNow({ question, escalatedTo = [] }: TaskRecord): string[] {
  return question.who.length === 0 ? [] : [...new Set([...question.who, ...escalatedTo])];
}

/** In the order in which they came. */
export function decisionsOf({ decisions }: TaskRecord): TaskRecord['decisions'][string][] {
  return Object.entries(decisions)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, decided]) => decided);
}
