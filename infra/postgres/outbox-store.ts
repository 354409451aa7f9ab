import { z } from 'zod';
import { Callback, Channel } from '#core/notify/channel.ts';
import {
  type Notification,
  NotificationFacts,
  notificationId,
  notificationUrl,
  withQuestion,
} from '#core/notify/notification.ts';
import { RunEvent } from '#core/run/event.ts';
import type { Database } from '#infra/postgres/database.ts';

/** A notification that was taken to be sent. */
export interface TakenNotification {
  /** Of the row. */
  id: string;
  channel: Channel;
  content: OutboxContent;
  /** This one included, from 1. */
  tries: number;
  /** Since it was written. */
  ageSeconds: number;
}

/** `unreadable`: what another version of the program wrote, which may know how to send it. `callback` is the run's. */
export type OutboxContent =
  | { kind: 'readable'; notification: Notification; callback: Callback | null }
  | { kind: 'unreadable'; reason: string };

export interface OutboxStore {
  /**
   * Takes due notifications of the given channels, each to one drainer, at most `limit`, oldest first. Of a run's on a
   * channel only the first is taken: one that was not sent yet holds up those after it, unless it waits for its retry.
   * What is neither marked nor released within 30 s, because its drainer died, is due again.
   */
  take(channels: readonly Channel[], limit: number): Promise<TakenNotification[]>;
  markSent(taken: TakenNotification): Promise<void>;
  /** It failed: due again after `seconds`, or given up when undefined. The row stays and tells the error. */
  markFailed(taken: TakenNotification, error: string, seconds: number | undefined): Promise<void>;
  /** It was not tried to its end: due at once, as if it had not been taken. */
  release(taken: TakenNotification): Promise<void>;
}

export interface OutboxOptions {
  /** Address of the API as people reach it, without a slash at its end: begins the links. */
  baseUrl: string;
}

/** Faults of every call: `store/unavailable`. */
export function createOutboxStore(database: Database, { baseUrl }: OutboxOptions): OutboxStore {
  // A taken row has tries and no error; one that waits for its retry has both. What another drainer took since is its own.
  const mine = `where id = $1 and status = 'due' and tries = $2`;
  return {
    async take(channels, limit) {
      const { rows } = await database.query({
        name: 'take-outbox',
        text: takeStatement,
        values: [channels, limit],
      });
      const taken = rows.map((row) => ({ ...TakenRow.parse(row), content: contentOf(row, baseUrl) }));
      return taken.toSorted((a, b) => Number(a.id) - Number(b.id));
    },
    async markSent({ id, tries }) {
      await database.query({
        text: `update outbox set status = 'sent', last_error = null ${mine}`,
        values: [id, tries],
      });
    },
    async markFailed({ id, tries }, error, seconds) {
      await database.query({
        text: `update outbox set last_error = $3,
            status = case when $4::int is null then 'given_up' else 'due' end,
            due_at = now() + make_interval(secs => coalesce($4::int, 0)) ${mine}`,
        values: [id, tries, error, seconds ?? null],
      });
    },
    async release({ id, tries }) {
      await database.query({
        text: `update outbox set tries = tries - 1, due_at = now() ${mine}`,
        values: [id, tries],
      });
    },
  };
}

/** Only the oldest are looked at, so that a backlog costs little more than an empty outbox. In one run few are due at a time. */
const window = 500;

const takeStatement = `with first as (
    select oldest.id from (
      select id, run_id, seq, channel from outbox
      where status = 'due' and due_at <= now() and channel = any ($1)
      order by due_at limit ${window}
    ) oldest
    where not exists (
      select from outbox earlier
      where earlier.run_id = oldest.run_id and earlier.channel = oldest.channel and earlier.seq < oldest.seq
        and earlier.status = 'due' and (earlier.last_error is null or earlier.due_at <= now())
    )
  ), locked as (
    select id from outbox
    where id = any (array(select id from first)) and status = 'due' and due_at <= now()
    order by due_at, id limit $2 for update skip locked
  ), taken as (
    update outbox set tries = tries + 1, last_error = null, due_at = now() + interval '30 s'
    where id = any (array(select id from locked))
    returning id, run_id, seq, channel, body, tries, created_at
  )
  select taken.id, taken.run_id as "runId", taken.seq, taken.channel, taken.body as facts, taken.tries,
    extract(epoch from now() - taken.created_at)::float8 as "ageSeconds",
    events.at, runs.name, runs.project, runs.labels,
    case when taken.channel = 'callback' then runs.callback end as callback,
    opened.event as question
  from taken join runs using (run_id) join events using (run_id, seq)
    left join lateral (
      select o.event from events o
      where taken.body ->> 'type' in ('task.reminded', 'task.escalated')
        and o.run_id = taken.run_id and o.seq < taken.seq and o.type = 'task.opened'
        and o.event ->> 'task' = taken.body #>> '{task,id}' and o.event ->> 'revision' = taken.body #>> '{task,revision}'
      order by o.seq desc limit 1
    ) opened on true`;

const TakenRow = z.object({ id: z.string(), channel: Channel, tries: z.number().int(), ageSeconds: z.number() });

const ContentRow = z.object({
  runId: z.string(),
  seq: z.number().int(),
  facts: NotificationFacts,
  at: z.string(),
  name: z.string(),
  project: z.string(),
  labels: z.array(z.string()),
  callback: Callback.nullable(),
  question: RunEvent.nullable(),
});

function contentOf(row: unknown, baseUrl: string): OutboxContent {
  const parsed = ContentRow.safeParse(row);
  if (!parsed.success) return { kind: 'unreadable', reason: z.prettifyError(parsed.error) };
  const { runId, seq, at, name, project, labels, facts, callback, question } = parsed.data;
  const run = { id: runId, name, project, labels, url: `${baseUrl}/v1/runs/${runId}` };
  const asked = withQuestion(facts, question?.type === 'task.opened' ? question : undefined);
  const head = { id: notificationId(runId, seq), at, url: notificationUrl(baseUrl, runId, asked), run };
  return { kind: 'readable', notification: { ...head, ...asked }, callback };
}
