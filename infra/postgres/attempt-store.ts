import { z } from 'zod';
import type { WorkKey } from '#core/contract/work-key.ts';
import { AttemptResult, Spend } from '#core/run/attempt-result.ts';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';

/** How far an attempt got: begun, its process ended with the output stored, or done with every stage. */
const AttemptStage = z.enum(['started', 'ran', 'finished']);
type AttemptStage = z.infer<typeof AttemptStage>;

/** What is stored under a WorkKey (decision 4). `ran` is the host's own account of the process that ended. */
export const StoredAttempt = z.object({
  stage: AttemptStage,
  hostId: z.string(),
  ran: z.unknown(),
  result: AttemptResult.nullable(),
  spend: Spend.nullable(),
});
export type StoredAttempt = z.infer<typeof StoredAttempt>;

export interface AttemptStore {
  markStarted(key: WorkKey, hostId: string): Promise<void>;
  putRan(key: WorkKey, hostId: string, ran: unknown): Promise<void>;
  /** The first result under a key stays. */
  putResult(key: WorkKey, hostId: string, result: AttemptResult): Promise<void>;
  /** The latest sum, not an addition; also on heartbeats, so that a killed attempt still counts (H1). */
  putSpend(key: WorkKey, hostId: string, spend: Spend): Promise<void>;
  find(key: WorkKey): Promise<StoredAttempt | undefined>;
}

/** Each write is one statement and safe to repeat; a stage never goes back. Faults: `store/unavailable`. */
export function createAttemptStore(database: Database): AttemptStore {
  const write = async (write: AttemptWrite): Promise<void> => {
    await database.query({
      name: 'put-attempt',
      text: `insert into attempts (run_id, step, pass, attempt, host_id, stage, ran, result, spend)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict (run_id, step, pass, attempt) do update set
          stage = case
            when attempts.stage = 'finished' or excluded.stage = 'started' then attempts.stage else excluded.stage end,
          ran = coalesce(attempts.ran, excluded.ran),
          result = coalesce(attempts.result, excluded.result),
          spend = coalesce(excluded.spend, attempts.spend),
          updated_at = now()`,
      values: [
        ...keyValues(write.key),
        write.hostId,
        write.stage,
        jsonb(write.ran),
        jsonb(write.result),
        jsonb(write.spend),
      ],
    });
  };
  return {
    markStarted: (key, hostId) => write({ key, hostId, stage: 'started' }),
    putRan: (key, hostId, ran) => write({ key, hostId, stage: 'ran', ran }),
    putResult: (key, hostId, result) => write({ key, hostId, stage: 'finished', result, spend: result.spend }),
    putSpend: (key, hostId, spend) => write({ key, hostId, stage: 'started', spend }),
    async find(key) {
      const answer = await database.query({
        name: 'find-attempt',
        text: `select stage, host_id as "hostId", ran, result, spend from attempts
          where run_id = $1 and step = $2 and pass = $3 and attempt = $4`,
        values: keyValues(key),
      });
      return answer.rows.map((row) => StoredAttempt.parse(row))[0];
    },
  };
}

interface AttemptWrite {
  key: WorkKey;
  hostId: string;
  stage: AttemptStage;
  ran?: unknown;
  result?: AttemptResult;
  spend?: Spend;
}

function keyValues(key: WorkKey): readonly [string, string, number, number] {
  return [key.runId, key.step, key.pass, key.attempt];
}
