import { z } from 'zod';
import { MessageAnswer, RunMessage } from '#core/contract/seat.ts';
import type { RunDefinition } from '#core/contract/steer.ts';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';

/** A message and what became of it (decision 12). `seat`: the one that was claimed to carry it. */
export const StoredMessage = z.object({
  runId: z.string(),
  message: RunMessage,
  answer: MessageAnswer.nullable(),
  seat: z.number().int().nullable(),
});
export type StoredMessage = z.infer<typeof StoredMessage>;

export type PutMessage = { kind: 'stored'; stored: StoredMessage } | { kind: 'conflict' };

export interface MessageStore {
  /**
   * Stores a message as pending, or finds the one of the same id; `conflict` when that one says something else (D2).
   * `definition`: what the plan of an edit was compiled from.
   */
  put(runId: string, message: RunMessage, definition?: RunDefinition): Promise<PutMessage>;
  find(id: string): Promise<StoredMessage | undefined>;
  /** The first answer stays and is returned. */
  settle(id: string, answer: MessageAnswer): Promise<MessageAnswer>;
  /** Messages without an answer that were not sent for a while, each to one sweeper; the oldest first. */
  takePending(limit: number): Promise<StoredMessage[]>;
}

/** The columns of a `StoredMessage`. */
export const messageColumns = `run_id as "runId", body as message, answer, seat`;

/** Faults: `store/unavailable`. */
export function createMessageStore(database: Database): MessageStore {
  return {
    async put(runId, message, definition) {
      const { rows } = await database.query({
        text: `insert into messages (id, run_id, kind, body, definition) values ($1, $2, $3, $4, $5)
          on conflict (id) do update set id = messages.id
          returning ${messageColumns}, run_id = $2 and body = $4 as same`,
        values: [message.id, runId, message.kind, jsonb(message), jsonb(definition)],
      });
      const { same, ...stored } = StoredMessage.extend({ same: z.boolean() }).parse(rows[0]);
      return same ? { kind: 'stored', stored } : { kind: 'conflict' };
    },
    async find(id) {
      const { rows } = await database.query({
        text: `select ${messageColumns} from messages where id = $1`,
        values: [id],
      });
      return rows.map((row) => StoredMessage.parse(row))[0];
    },
    async settle(id, answer) {
      const { rows } = await database.query({
        text: `update messages set status = coalesce(answer ->> 'kind', $2), answer = coalesce(answer, $3)
          where id = $1 returning answer`,
        values: [id, answer.kind, jsonb(answer)],
      });
      return MessageAnswer.parse(rows[0]?.['answer']);
    },
    async takePending(limit) {
      const { rows } = await database.query({
        text: `update messages set sent_at = now()
          where id in (
            select id from messages where status = 'pending' and sent_at < now() - interval '6 s'
            order by sent_at limit $1 for update skip locked
          )
          returning ${messageColumns}`,
        values: [limit],
      });
      return rows.map((row) => StoredMessage.parse(row));
    },
  };
}
