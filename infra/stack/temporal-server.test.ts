import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { freePort } from '#infra/stack/free-port.ts';
import { afterEach, expect, test } from 'vitest';
import { config, hostEnvironment } from '#infra/config.ts';
import { endProcess } from '#infra/stack/process-identity.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';
import { startTemporal, type RunningTemporal } from '#infra/stack/temporal-server.ts';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of clean.splice(0).toReversed()) await step();
});

async function start(folder: string, port: number): Promise<RunningTemporal> {
  const searchPath = hostEnvironment()['PATH'] ?? '';
  const find = { given: config().temporalCli, cacheFolder: config().cacheFolder, searchPath, onTry: () => undefined };
  const logFile = join(folder, 'log');
  const server = await startTemporal({ folder, port, namespace: 'loops', searchPath, find, logFile });
  clean.push(() => server.stop());
  return server;
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection, namespace: 'loops' }));
  } finally {
    await connection.close();
  }
}

test('a workflow that was started is there after kill -9 of the server and a new start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-temporal-'));
  clean.push(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const first = await start(folder, port);
  await withClient(first.address, (client) => client.workflow.start('any', { taskQueue: 'q', workflowId: 'w' }));
  await endProcess(first.process, { signal: 'SIGKILL', graceMs: 5_000 });
  const second = await start(folder, port);
  const status = await withClient(second.address, (client) => client.workflow.getHandle('w').describe());
  expect(status.status.name).toBe('RUNNING');
  expect(await probeTemporal(second.address, 'loops')).toBe(true);
  expect(await probeTemporal(second.address, 'no-such-namespace')).toBe(false);
});

test('where nothing listens the probe says no', async () => {
  expect(await probeTemporal(`127.0.0.1:${await freePort()}`, 'default')).toBe(false);
});
