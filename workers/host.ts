import { type NativeConnection, Worker } from '@temporalio/worker';
import { mkdirSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import { hostQueue, placementQueue } from '#core/contract/queue.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { createHostActivities, createPlacementActivities } from '#activities/index.ts';
import { createOccupancy } from '#activities/occupancy.ts';
import { createRunSecrets } from '#activities/run-secrets.ts';
import { createTenure, type Tenure } from '#activities/tenure.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { artifactFolder } from '#infra/artifacts/artifact-folder.ts';
import { type Backlog, openBacklog } from '#infra/backlog/backlog.ts';
import { backloggedAttempts, backloggedVerdicts, storeInto } from '#infra/backlog/backlogged-stores.ts';
import { type Config, config, hostEnvironment } from '#infra/config.ts';
import { createLogger, type Logger } from '#infra/log.ts';
import { useGitSearchPath } from '#infra/git/git.ts';
import { createAttemptStore } from '#infra/postgres/attempt-store.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { createHostStore } from '#infra/postgres/host-store.ts';
import { createKeptFileStore } from '#infra/postgres/kept-file-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createSecretStore } from '#infra/postgres/secret-store.ts';
import { createVerdictStore } from '#infra/postgres/verdict-store.ts';
import { createWorkspaceStore } from '#infra/postgres/workspace-store.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';
import { readSecretsKey } from '#infra/secrets/secrets-key.ts';
import { dataConverter } from '#infra/temporal/packing-codec.ts';
import { databaseUrl } from '#workers/database-url.ts';
import { connect, installRuntime, temporalAddress } from '#workers/engine.ts';
import { type HostJournal, openJournal } from '#workers/host/journal.ts';
import { takeLease } from '#workers/host/lease.ts';
import { endOnLoss } from '#workers/host/lost-lease.ts';
import { takeOver } from '#workers/host/take-over.ts';
import { runProcess, runWorkers, untilSignal } from '#workers/process.ts';
import { announceReady } from '#workers/ready.ts';

const log = createLogger('host');

/** Processes at once: agents wait for a model most of their time. */
const slots = Math.max(4, availableParallelism() * 4);

/** `node dist/workers/host.js`: runs agents and commands on this machine. Ends on SIGTERM, with all that it runs. */
async function main(settings: Config, logger: Logger): Promise<void> {
  const signal = untilSignal();
  installRuntime(logger);
  mkdirSync(settings.home, { recursive: true, mode: 0o700 });
  const url = databaseUrl(settings);
  const searchPath = hostEnvironment()['PATH'] ?? '';
  useGitSearchPath(searchPath);
  const journal = openJournal(join(settings.home, 'run', `tasks-${settings.hostId}`));
  const [sandbox, connection] = await Promise.all([
    chooseSandbox(settings.sandbox, {
      path: searchPath,
      warn: (message) => logger.warn(message),
    }),
    connect(settings, logger, signal),
    migrate(url),
  ]);
  const database = openDatabase(url);
  const stores = { attempts: createAttemptStore(database), verdicts: createVerdictStore(database) };
  const backlog = openBacklog(join(settings.home, 'run', `unstored-${settings.hostId}`), storeInto(stores), logger);
  // Before the tasks of a predecessor are given back: what it had finished must be found then (decision 4).
  await backlog.drain();
  await takeOver(journal, { address: temporalAddress(settings), namespace: settings.temporalNamespace }, logger);
  const tenure = createTenure();
  const workers = await createWorkers(
    settings,
    connection,
    depsOf(settings, { database, ...stores, backlog, journal, sandbox, tenure, log: logger }),
  );
  const lease = await takeLease({
    hosts: createHostStore(database),
    host: { hostId: settings.hostId, slots, info: { sandbox: sandbox.kind, pid: process.pid } },
    onLost: () => endOnLoss(tenure, logger),
    log: logger,
  });
  announceReady('host', settings.home);
  const keeping = Promise.all([lease.keep(signal), backlog.keep(signal)]);
  await runWorkers(workers, signal);
  await keeping;
  await connection.close();
  await database.close();
}

interface Made extends Pick<HostDeps, 'sandbox' | 'log' | 'attempts' | 'verdicts'> {
  database: Database;
  backlog: Backlog;
  journal: HostJournal;
  tenure: Tenure;
}

function depsOf(settings: Config, made: Made): HostDeps {
  const { database, attempts, verdicts, backlog, journal, sandbox, tenure, log: logger } = made;
  return {
    hostId: settings.hostId,
    queue: hostQueue(settings.hostId),
    home: settings.home,
    environment: hostEnvironment(),
    userHome: homedir(),
    artifacts: openArtifactStore(artifactFolder(settings.artifacts)),
    attempts: backloggedAttempts(attempts, backlog),
    verdicts: backloggedVerdicts(verdicts, backlog),
    workspaces: createWorkspaceStore(database),
    kept: createKeptFileStore(database),
    secrets: createRunSecrets({
      hostId: settings.hostId,
      environment: hostEnvironment(),
      store: createSecretStore(database, () => readSecretsKey(settings)),
    }),
    runs: createRunStore(database),
    sandbox,
    journal,
    occupancy: createOccupancy(),
    tenure,
    log: logger,
  };
}

/** The host's own queue, and the shared one from which any host with a free slot takes new runs. */
function createWorkers(settings: Config, connection: NativeConnection, deps: HostDeps): Promise<Worker[]> {
  const common = {
    connection,
    namespace: settings.temporalNamespace,
    dataConverter,
    // Cancellation comes with the answer to a heartbeat: it must not be throttled away.
    maxHeartbeatThrottleInterval: '2s',
    defaultHeartbeatThrottleInterval: '2s',
    maxConcurrentActivityTaskExecutions: slots,
  } as const;
  return Promise.all([
    Worker.create({
      ...common,
      taskQueue: deps.queue,
      // A forked run is opened where its snapshot is.
      activities: { ...createHostActivities(deps), ...createPlacementActivities(deps) },
    }),
    Worker.create({ ...common, taskQueue: placementQueue, activities: { ...createPlacementActivities(deps) } }),
  ]);
}

runProcess(() => main(config(), log), log);
