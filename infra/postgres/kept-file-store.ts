import { z } from 'zod';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';

/** A file that the next run begins with: its path in the workspace, its content in the artifact store. */
export const KeptFile = z.object({
  path: z.string(),
  sha256: z.string(),
  bytes: z.number().int(),
  executable: z.boolean(),
});
export type KeptFile = z.infer<typeof KeptFile>;

export interface KeptFileStore {
  /** In place of what an earlier run of that project and name kept. */
  put(kept: { project: string; name: string; runId: string; files: readonly KeptFile[] }): Promise<void>;
  /** Empty when no run kept any. */
  find(of: { project: string; name: string }): Promise<KeptFile[]>;
}

/** Faults: `store/unavailable`. */
export function createKeptFileStore(database: Database): KeptFileStore {
  return {
    async put({ project, name, runId, files }) {
      await database.query({
        text: `insert into kept_files (project, name, run_id, files) values ($1, $2, $3, $4)
          on conflict (project, name) do update
            set run_id = excluded.run_id, files = excluded.files, kept_at = now()`,
        values: [project, name, runId, jsonb(files)],
      });
    },
    async find({ project, name }) {
      const { rows } = await database.query({
        text: 'select files from kept_files where project = $1 and name = $2',
        values: [project, name],
      });
      return rows.flatMap((row) => z.array(KeptFile).parse(row['files']));
    },
  };
}
