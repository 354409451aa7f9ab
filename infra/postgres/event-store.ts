import { z } from 'zod';
import type { Recorded, RecordInput } from '#core/contract/activities.ts';
import type { OutboxRow } from '#core/notify/outbox-rows.ts';
import { RunEvent, type RunEventOf, type StoredEvent } from '#core/run/event.ts';
import { tellParent } from '#core/run/tell-parent.ts';
import { taskChanges } from '#core/task/task-record.ts';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';
import { changeTasks } from '#infra/postgres/task-changes.ts';

export interface EventStore {
  /**
   * Adds a batch to a run's record and writes the summary, the tasks, the notifications and the word to the parent of it
   * beside it; all or nothing, in one round trip. Safe to repeat. `superseded` when another seat owns the run.
   */
  appendEvents(batch: RecordInput): Promise<Exclude<Recorded, 'later'>>;
  /** The events after `seq`, in order, at most `limit` (all when absent). */
  eventsAfter(runId: string, seq: number, limit?: number): Promise<StoredEvent[]>;
  /** The latest that is recorded of the attempts that fit: that it started, finished or was lost. */
  latestAttempt(runId: string, fitting: AttemptFilter): Promise<AttemptSeen | undefined>;
}

export interface AttemptFilter {
  step?: string;
  pass?: number;
  attempt?: number;
}

export type AttemptSeen = RunEventOf<'attempt.started' | 'attempt.finished' | 'attempt.lost'>;

/** The channel on which `<run id> <status>` is announced when events were added to a run. */
export const eventsChannel = 'run_events';

/** What is told of a batch, and to whom. */
export type Telling = (batch: RecordInput) => OutboxRow[];

/** `telling`: by default nobody is told anything. Faults of every call: `store/unavailable`. */
export function createEventStore(database: Database, telling: Telling = () => []): EventStore {
  return {
    appendEvents: (batch) => append(database, batch, telling),
    async eventsAfter(runId, seq, limit) {
      const answer = await database.query({
        name: 'events-after',
        text: `select seq, event from events where run_id = $1 and seq > $2 order by seq limit $3`,
        values: [runId, seq, limit ?? null],
      });
      return answer.rows.map((row) => StoredRow.parse(row));
    },
    async latestAttempt(runId, { step, pass, attempt }) {
      const answer = await database.query({
        text: `select event from events
          where run_id = $1 and type in ('attempt.started', 'attempt.finished', 'attempt.lost')
            and ($2::text is null or event ->> 'step' = $2)
            and ($3::int is null or (event ->> 'pass')::int = $3)
            and ($4::int is null or (event ->> 'attempt')::int = $4)
          order by seq desc limit 1`,
        values: [runId, step ?? null, pass ?? null, attempt ?? null],
      });
      const event = answer.rows.map((row) => RunEvent.parse(row['event']))[0];
      return event !== undefined && isAttemptSeen(event) ? event : undefined;
    },
  };
}

async function append(database: Database, batch: RecordInput, telling: Telling): Promise<Exclude<Recorded, 'later'>> {
  const { runId, seat, events, summary } = batch;
  // A batch that was given up and lands late must not set the summary back. Events rest on the row that was updated,
  // so a seat that lost the run while it waited for the row adds nothing. Notifications rest on the events that were
  // added: of an event that was there before, nobody is told again. How a child ends is its parent's affair, whose
  // message is due at once: should this process die here, the sweeper sends it.
  const answer = await database.query({
    name: 'append-events',
    text: `with owned as (
        update runs set updated_at = now(),
          status = case when (summary ->> 'seq')::int <= $5 then $3 else status end,
          summary = case when (summary ->> 'seq')::int <= $5 then $4 else summary end
        where run_id = $1 and seat = $2 returning run_id, project, callback, parent is not null as is_child
      ), added as (
        insert into events (run_id, seq, type, at, event)
        select owned.run_id, e.seq, e.event ->> 'type', to_timestamp((e.event ->> 'at')::float8 / 1000), e.event
        from owned, jsonb_to_recordset($6) as e (seq int, event jsonb)
        on conflict (run_id, seq) do nothing returning seq
      ), told as (
        insert into outbox (run_id, seq, channel, body)
        select owned.run_id, added.seq, t.channel, t.facts
        from owned, added, jsonb_to_recordset($7) as t (seq int, channel text, facts jsonb)
        where t.seq = added.seq and case t.channel
          when 'callback' then owned.callback is not null
          else not (owned.is_child and t.facts ->> 'type' in ('run.ended', 'step.failed')) end
        on conflict (run_id, seq, channel) do nothing
      ), told_parent as (
        insert into messages (id, run_id, kind, body, sent_at)
        select m.message ->> 'id', runs.run_id, m.message ->> 'kind', m.message, now() - interval '1 h'
        from added, jsonb_to_recordset($9) as m (seq int, "to" text, message jsonb), runs
        where m.seq = added.seq and runs.run_id = m."to"
        on conflict (id) do nothing
      ), ${changeTasks('$8')}
      select pg_notify('${eventsChannel}', run_id || ' ' || $3::text) from owned`,
    values: [
      runId,
      seat,
      summary.status,
      jsonb(summary),
      summary.seq,
      jsonb(events),
      jsonb(telling(batch)),
      jsonb(taskChanges(events)),
      jsonb(tellParent(batch)),
    ],
  });
  return answer.count === 1 ? 'recorded' : 'superseded';
}

function isAttemptSeen(event: RunEvent): event is AttemptSeen {
  return ['attempt.started', 'attempt.finished', 'attempt.lost'].includes(event.type);
}

const StoredRow = z.object({ seq: z.number().int(), event: RunEvent });
