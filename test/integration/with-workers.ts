import { Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createControlActivities } from '#activities/control.ts';
import { createHostActivities, createPlacementActivities } from '#activities/index.ts';
import { controlQueue, placementQueue } from '#core/contract/queue.ts';
import { createAttemptStore } from '#infra/postgres/attempt-store.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';
import { dataConverter } from '#infra/temporal/packing-codec.ts';
import { bundleSources } from '../workflow/bundle.ts';
import { type TestApi, withApi } from './with-api.ts';
import { withHost } from './with-host.ts';
import { withTemporal } from './with-temporal.ts';

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });

/** The whole API with workers behind it: runs that it starts are carried by the real workflow, on a host without a sandbox. */
export async function withWorkers(): Promise<TestApi> {
  const temporal = await withTemporal();
  const { address } = temporal;
  const namespace = temporal.unique('api');
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  while (!(await probeTemporal(address, namespace))) await new Promise((resolve) => setTimeout(resolve, 25));
  const [api, workflowBundle, native] = await Promise.all([
    withApi({ address, namespace, queue: controlQueue }),
    bundleSources(),
    NativeConnection.connect({ address, grpcCompression: { codec: 'none' } }),
  ]);
  const { database, parts } = api;
  const deps = withHost({ folder: parts.dataFolder, database, hostId: 'test-host' });
  const control = createControlActivities({
    messaging: parts,
    artifacts: parts.artifacts,
    attempts: createAttemptStore(database),
    log: parts.log,
  });
  const [host, placement] = [createHostActivities(deps), createPlacementActivities(deps)];
  const common = { connection: native, namespace, dataConverter, maxHeartbeatThrottleInterval: '50ms' };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: controlQueue, workflowBundle, activities: { ...control } }),
    Worker.create({ ...common, taskQueue: placementQueue, activities: { ...placement } }),
    Worker.create({ ...common, taskQueue: deps.queue, activities: { ...host, ...placement } }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    ...api,
    async close() {
      for (const worker of workers) worker.shutdown();
      await running;
      await native.close();
      await connection.close();
      await api.close();
    },
  };
}
