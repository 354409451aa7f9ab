import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

import { median } from './figures.ts';

const taskQueue = 'bench-floor';

export interface Floor {
  /** Milliseconds per pass of two activities that spawn `true`. */
  passMs: number;
  /** Workflows of two activities a second, all started at once. */
  perSecond: number;
}

/** Measures bare Temporal on the server of the stack, with the SDK settings of our own workers. */
export async function measureFloor(server: { address: string; namespace: string }): Promise<Floor> {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger, shutdownSignals: [] });
  const workflowsPath = fileURLToPath(new URL('./floor-workflow.js', import.meta.url));
  const bundle = await bundleWorkflowCode({ workflowsPath, logger });
  const connection = await NativeConnection.connect({
    address: server.address,
    grpcCompression: { codec: 'none' },
  });
  const worker = await Worker.create({
    connection,
    namespace: server.namespace,
    taskQueue,
    workflowBundle: bundle,
    activities: { spawnTrue },
  });
  const running = worker.run();
  const client = new Client({
    connection: await Connection.connect({ address: server.address }),
    namespace: server.namespace,
  });
  const passMs = await passFloor(client);
  const perSecond = await throughputFloor(client);
  worker.shutdown();
  await running;
  await connection.close();
  await client.connection.close();
  return { passMs, perSecond };
}

async function spawnTrue(): Promise<number> {
  const [code] = (await once(spawn('true', { stdio: 'ignore' }), 'exit')) as [number];
  return code;
}

async function execute(client: Client, passes: number, id: string): Promise<void> {
  await client.workflow.execute('floor', { taskQueue, workflowId: `floor-${id}-${Date.now()}`, args: [passes] });
}

async function passFloor(client: Client): Promise<number> {
  const passes = 20;
  const figures: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const started = performance.now();
    await execute(client, passes, `pass-${round}`);
    figures.push((performance.now() - started) / passes);
  }
  // The first round warms the worker.
  return median(figures.slice(1));
}

async function throughputFloor(client: Client): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now();
    await Promise.all(Array.from({ length: 100 }, (_, index) => execute(client, 1, `burst-${round}-${index}`)));
    figures.push(100 / ((performance.now() - started) / 1000));
  }
  return median(figures);
}
