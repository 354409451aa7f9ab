import { join } from 'node:path';
import { hostQueue } from '#core/contract/queue.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { createOccupancy } from '#activities/occupancy.ts';
import { createRunSecrets } from '#activities/run-secrets.ts';
import { createTenure } from '#activities/tenure.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { hostEnvironment } from '#infra/config.ts';
import { createLogger } from '#infra/log.ts';
import { createAttemptStore } from '#infra/postgres/attempt-store.ts';
import type { Database } from '#infra/postgres/database.ts';
import { createKeptFileStore } from '#infra/postgres/kept-file-store.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createSecretStore } from '#infra/postgres/secret-store.ts';
import { createVerdictStore } from '#infra/postgres/verdict-store.ts';
import { createWorkspaceStore } from '#infra/postgres/workspace-store.ts';
import { noSandbox } from '#infra/sandbox/sandbox.ts';
import { openJournal } from '#workers/host/journal.ts';

/** A host as its activities see it, without a worker and without a sandbox; hosts in one folder share their artifacts. */
export function withHost({
  folder,
  database,
  hostId,
}: {
  folder: string;
  database: Database;
  hostId: string;
}): HostDeps {
  const home = join(folder, hostId);
  return {
    hostId,
    queue: hostQueue(hostId),
    home,
    environment: hostEnvironment(),
    userHome: home,
    artifacts: openArtifactStore(join(folder, 'artifacts')),
    attempts: createAttemptStore(database),
    verdicts: createVerdictStore(database),
    workspaces: createWorkspaceStore(database),
    kept: createKeptFileStore(database),
    secrets: createRunSecrets({
      hostId,
      environment: hostEnvironment(),
      store: createSecretStore(database, () => Buffer.alloc(32, 7)),
    }),
    runs: createRunStore(database),
    sandbox: noSandbox,
    journal: openJournal(join(home, 'run')),
    occupancy: createOccupancy(),
    tenure: createTenure(),
    log: createLogger('test', 'silent'),
  };
}
