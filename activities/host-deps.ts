import type { Logger } from '#infra/log.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import type { Occupancy } from '#activities/occupancy.ts';
import type { RunSecrets } from '#activities/run-secrets.ts';
import type { Tenure } from '#activities/tenure.ts';
import type { AttemptStore } from '#infra/postgres/attempt-store.ts';
import type { KeptFileStore } from '#infra/postgres/kept-file-store.ts';
import type { RunStore } from '#infra/postgres/run-store.ts';
import type { VerdictStore } from '#infra/postgres/verdict-store.ts';
import type { WorkspaceStore } from '#infra/postgres/workspace-store.ts';
import type { Sandbox } from '#infra/sandbox/sandbox.ts';

/** What a host's activities work with; made once by the worker. */
export interface HostDeps {
  hostId: string;
  queue: string;
  /** The data folder: workspaces, agents' homes, live output. */
  home: string;
  /** The host's own environment, of which only an allow-list reaches a process (H4). */
  environment: Readonly<Record<string, string>>;
  /** Home of the host's user, where agents keep their sign-in. */
  userHome: string;
  artifacts: ArtifactStore;
  attempts: AttemptStore;
  verdicts: VerdictStore;
  workspaces: WorkspaceStore;
  kept: KeptFileStore;
  secrets: RunSecrets;
  runs: Pick<RunStore, 'find'>;
  sandbox: Sandbox;
  journal: TaskJournal;
  occupancy: Occupancy;
  tenure: Tenure;
  log: Logger;
}

/** What this host is running now, on disk: a successor ends it and gives the tasks back (decision 15). */
export interface TaskJournal {
  /** Returns what takes the entry out again. Faults: `store/disk-full`, `store/unavailable`. */
  enter(task: { token: Uint8Array; containmentId: string }): () => void;
}
