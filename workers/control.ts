import { Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { controlQueue } from '#core/contract/queue.ts';
import { createControlActivities } from '#activities/control.ts';
import { artifactFolder } from '#infra/artifacts/artifact-folder.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { type Config, config } from '#infra/config.ts';
import { createLogger, type Logger } from '#infra/log.ts';
import { createAttemptStore } from '#infra/postgres/attempt-store.ts';
import { openDatabase } from '#infra/postgres/database.ts';
import { createMessageStore } from '#infra/postgres/message-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { dataConverter } from '#infra/temporal/packing-codec.ts';
import { connectEngine } from '#infra/temporal/client.ts';
import { announceReady } from '#workers/ready.ts';
import { notifyUntil } from '#workers/control/notify.ts';
import { openNotifying, tellingOf } from '#workers/control/notifying.ts';
import { sweepUntil } from '#workers/control/sweep.ts';
import { databaseUrl } from '#workers/database-url.ts';
import { connect, installRuntime, temporalAddress } from '#workers/engine.ts';
import { runProcess, runWorkers, untilSignal } from '#workers/process.ts';

/** Built with the product: no worker pays for webpack at its start. Seen from `dist/workers/`. */
const workflowBundle = { codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)) };

/** Runs kept in memory between their tasks, a third of a megabyte each. One that waited for a person is replayed, in milliseconds. */
const cachedRuns = 250;

const log = createLogger('control');

/** `node dist/workers/control.js`: carries runs (workflows), records their events, and sweeps. Ends on SIGTERM. */
async function main(settings: Config, logger: Logger): Promise<void> {
  const signal = untilSignal();
  installRuntime(logger);
  const url = databaseUrl(settings);
  await migrate(url);
  const database = openDatabase(url);
  const connection = await connect(settings, logger, signal);
  const runs = createRunStore(database, tellingOf(settings));
  const engine = connectEngine({ address: temporalAddress(settings), namespace: settings.temporalNamespace });
  const messaging = { runs, messages: createMessageStore(database), engine };
  const worker = await Worker.create({
    connection,
    namespace: settings.temporalNamespace,
    taskQueue: controlQueue,
    dataConverter,
    workflowBundle,
    activities: {
      ...createControlActivities({
        messaging,
        artifacts: openArtifactStore(artifactFolder(settings.artifacts)),
        attempts: createAttemptStore(database),
        log: logger,
      }),
    },
    // After a kill a cached workflow's next task would lie on the dead worker's queue for ten seconds.
    stickyQueueScheduleToStartTimeout: '1s',
    maxCachedWorkflows: cachedRuns,
  });
  announceReady('control', settings.home);
  const sweeping = sweepUntil(messaging, logger, signal);
  const notifying = notifyUntil(openNotifying(settings, database), logger, signal);
  await runWorkers([worker], signal);
  await Promise.all([sweeping, notifying]);
  await connection.close();
  await engine.close();
  await database.close();
}

runProcess(() => main(config(), log), log);
