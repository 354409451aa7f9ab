import { z } from 'zod';
import { Source } from '#core/contract/library.ts';
import type { Database, Queries } from '#infra/postgres/database.ts';
import { messageColumns, StoredMessage } from '#infra/postgres/message-store.ts';

export interface SourceSwitch {
  label: string;
  on: boolean;
  changedBy: string;
  /** Names the switch; the messages to the runs are named after it. */
  id: string;
}

export interface SourceStore {
  /**
   * Switches a source, and writes beside it a message for every run of its label that has not ended (E-19). They are due
   * at once: a sweeper sends those that nobody else does. A source that is so already has none.
   */
  put(change: SourceSwitch): Promise<{ source: Source; messages: StoredMessage[] }>;
  /** A page by label; `after` is the last label of the page before. */
  list(page: { after?: string; limit: number }): Promise<Source[]>;
}

const columns = `label, is_on as "on", changed_by as "changedBy", changed_at as "changedAt"`;

/** Labels of runs that are switched off and on. Faults: `store/unavailable`. */
export function createSourceStore(database: Database): SourceStore {
  return {
    put: (change) => database.transaction((within) => switchSource(within, change)),
    async list({ after, limit }) {
      const { rows } = await database.query({
        text: `select ${columns} from sources where ($1::text is null or label > $1) order by label limit $2`,
        values: [after ?? null, limit],
      });
      return rows.map((row) => Source.parse(row));
    },
  };
}

/**
 * Of these labels the ones that are off, for a run that the same transaction adds: a source that is switched meanwhile
 * waits for it, and finds it.
 */
export async function heldSources(within: Queries, labels: readonly string[]): Promise<string[]> {
  if (labels.length === 0) return [];
  await within.query({ text: `select pg_advisory_xact_lock_shared(${lock})`, values: [] });
  // Asked by itself: a statement sees only what was committed before it began, and it may have waited for the lock.
  const { rows } = await within.query({
    text: `select label from sources where not is_on and label = any ($1) order by label`,
    values: [[...labels]],
  });
  return rows.map((row) => String(row['label']));
}

const lock = `hashtextextended('setpoint.sources', 0)`;

async function switchSource(
  within: Queries,
  { label, on, changedBy, id }: SourceSwitch,
): Promise<{ source: Source; messages: StoredMessage[] }> {
  await within.query({ text: `select pg_advisory_xact_lock(${lock})`, values: [] });
  const { rows } = await within.query({
    text: `with before as (select is_on from sources where label = $1)
      insert into sources (label, is_on, changed_by, switched)
      values ($1, $2, $3, case when coalesce((select is_on from before), true) = $2 then 0 else 1 end)
      on conflict (label) do update set is_on = excluded.is_on, changed_by = excluded.changed_by, changed_at = now(),
        switched = sources.switched + excluded.switched
      returning ${columns}, switched, coalesce((select is_on from before), true) <> is_on as changed`,
    values: [label, on, changedBy],
  });
  const { changed, switched, ...source } = Switched.parse(rows[0]);
  if (!changed) return { source, messages: [] };
  const messages = await within.query({
    text: `insert into messages (id, run_id, kind, body, sent_at)
      select 'source:' || $1 || ':' || run_id, run_id, $2,
        jsonb_build_object('kind', $2::text, 'id', 'source:' || $1 || ':' || run_id, 'by', $3::text, 'source', $4::text,
          'switched', $5::int),
        now() - interval '1 minute'
      from runs where labels @> array[$4::text] and status <> 'ended'
      returning ${messageColumns}`,
    values: [id, on ? 'release' : 'hold', changedBy, label, switched],
  });
  return { source, messages: messages.rows.map((row) => StoredMessage.parse(row)) };
}

const Switched = Source.extend({ changed: z.boolean(), switched: z.number().int() });
