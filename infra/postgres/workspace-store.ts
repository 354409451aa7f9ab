import { z } from 'zod';
import { SnapshotRef } from '#core/run/attempt-result.ts';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';

/** Where a run works. `base` is null without a worktree (F4). */
export const StoredWorkspace = z.object({ hostId: z.string(), path: z.string(), base: SnapshotRef.nullable() });
export type StoredWorkspace = z.infer<typeof StoredWorkspace>;

export interface WorkspaceStore {
  /** The first workspace of a run stays and is returned: opening one is get-or-create (decision 7). */
  put(runId: string, workspace: StoredWorkspace): Promise<StoredWorkspace>;
  find(runId: string): Promise<StoredWorkspace | undefined>;
}

/** Faults: `store/unavailable`. */
export function createWorkspaceStore(database: Database): WorkspaceStore {
  return {
    async put(runId, { hostId, path, base }) {
      const { rows } = await database.query({
        text: `insert into workspaces (run_id, host_id, path, base) values ($1, $2, $3, $4)
          on conflict (run_id) do update set path = workspaces.path
          returning host_id as "hostId", path, base`,
        values: [runId, hostId, path, jsonb(base)],
      });
      return StoredWorkspace.parse(rows[0]);
    },
    async find(runId) {
      const { rows } = await database.query({
        text: `select host_id as "hostId", path, base from workspaces where run_id = $1`,
        values: [runId],
      });
      return rows.map((row) => StoredWorkspace.parse(row))[0];
    },
  };
}
