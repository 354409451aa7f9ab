import { z } from 'zod';
import { Verdict } from '#core/check/verdict.ts';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';

/** Names one judging of a pass: verdicts are stored under it and the check's name. */
export interface RoundKey {
  runId: string;
  step: string;
  pass: number;
  round: number;
}

export interface VerdictStore {
  /** Stores a verdict as it falls; the first one under a key stays and is returned. */
  put(key: RoundKey, check: string, verdict: Verdict): Promise<Verdict>;
  /** The verdicts of a round that fell already, by check. */
  ofRound(key: RoundKey): Promise<ReadonlyMap<string, Verdict>>;
  /** Every verdict of one check on a step's work, in the order in which they fell. */
  ofCheck(step: Pick<RoundKey, 'runId' | 'step'>, check: string): Promise<{ pass: number; verdict: Verdict }[]>;
}

/** Faults: `store/unavailable`. */
export function createVerdictStore(database: Database): VerdictStore {
  return {
    async put(key, check, verdict) {
      const { rows } = await database.query({
        name: 'put-verdict',
        text: `insert into verdicts (run_id, step, pass, round, check_name, verdict) values ($1, $2, $3, $4, $5, $6)
          on conflict (run_id, step, pass, round, check_name) do update set verdict = verdicts.verdict
          returning verdict`,
        values: [...keyValues(key), check, jsonb(verdict)],
      });
      return Verdict.parse(rows[0]?.['verdict']);
    },
    async ofRound(key) {
      const { rows } = await database.query({
        name: 'verdicts-of-round',
        text: `select check_name as check, verdict from verdicts
          where run_id = $1 and step = $2 and pass = $3 and round = $4`,
        values: keyValues(key),
      });
      return new Map(rows.map((row) => VerdictRow.parse(row)).map(({ check, verdict }) => [check, verdict]));
    },
    async ofCheck({ runId, step }, check) {
      const { rows } = await database.query({
        name: 'verdicts-of-check',
        text: `select pass, verdict from verdicts where run_id = $1 and step = $2 and check_name = $3
          order by pass, round`,
        values: [runId, step, check],
      });
      return rows.map((row) => PassRow.parse(row));
    },
  };
}

const VerdictRow = z.object({ check: z.string(), verdict: Verdict });
const PassRow = z.object({ pass: z.number(), verdict: Verdict });

function keyValues(key: RoundKey): readonly [string, string, number, number] {
  return [key.runId, key.step, key.pass, key.round];
}
