import { Source } from '#core/contract/library.ts';
import type { Database } from '#infra/postgres/database.ts';

export interface SourceStore {
  put(source: { label: string; on: boolean; changedBy: string }): Promise<Source>;
  /** A page by label; `after` is the last label of the page before. */
  list(page: { after?: string; limit: number }): Promise<Source[]>;
  /** Of these labels the ones that are off. */
  off(labels: readonly string[]): Promise<string[]>;
}

const columns = `label, is_on as "on", changed_by as "changedBy", changed_at as "changedAt"`;

/** Labels of runs that are switched on and off; over a transaction where the switch acts on runs too. Faults: `store/unavailable`. */
export function createSourceStore(database: Pick<Database, 'query'>): SourceStore {
  return {
    async put({ label, on, changedBy }) {
      const { rows } = await database.query({
        text: `insert into sources (label, is_on, changed_by) values ($1, $2, $3)
          on conflict (label) do update set is_on = excluded.is_on, changed_by = excluded.changed_by, changed_at = now()
          returning ${columns}`,
        values: [label, on, changedBy],
      });
      return Source.parse(rows[0]);
    },
    async list({ after, limit }) {
      const { rows } = await database.query({
        text: `select ${columns} from sources where ($1::text is null or label > $1) order by label limit $2`,
        values: [after ?? null, limit],
      });
      return rows.map((row) => Source.parse(row));
    },
    async off(labels) {
      const { rows } = await database.query({
        text: `select label from sources where not is_on and label = any ($1) order by label`,
        values: [[...labels]],
      });
      return rows.map((row) => String(row['label']));
    },
  };
}
