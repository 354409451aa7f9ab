import { z } from 'zod';
import { SnapshotRef } from '#core/run/attempt-result.ts';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';

/** Where a run works. `base` is null without a worktree (F4); `artifacts` is absent without a folder of artifacts. */
export const StoredWorkspace = z.object({
  hostId: z.string(),
  path: z.string(),
  base: SnapshotRef.nullable(),
  artifacts: z.string().optional(),
});
export type StoredWorkspace = z.infer<typeof StoredWorkspace>;

export interface WorkspaceStore {
  /** The first workspace of a run stays and is returned: opening one is get-or-create (decision 7). */
  put(runId: string, workspace: StoredWorkspace): Promise<StoredWorkspace>;
  find(runId: string): Promise<StoredWorkspace | undefined>;
}

/** Faults: `store/unavailable`. */
export function createWorkspaceStore(database: Database): WorkspaceStore {
  return {
    async put(runId, { hostId, path, base, artifacts }) {
      const { rows } = await database.query({
        text: `insert into workspaces (run_id, host_id, path, base, artifacts) values ($1, $2, $3, $4, $5)
          on conflict (run_id) do update set path = workspaces.path
          returning host_id as "hostId", path, base, artifacts`,
        values: [runId, hostId, path, jsonb(base), artifacts],
      });
      return workspaceOf(rows[0]);
    },
    async find(runId) {
      const { rows } = await database.query({
        text: `select host_id as "hostId", path, base, artifacts from workspaces where run_id = $1`,
        values: [runId],
      });
      return rows.map(workspaceOf)[0];
    },
  };
}

function workspaceOf(row: unknown): StoredWorkspace {
  const { artifacts, ...stored } = StoredRow.parse(row);
  return { ...stored, ...(artifacts === null ? {} : { artifacts }) };
}

const StoredRow = StoredWorkspace.extend({ artifacts: z.string().nullable() });
