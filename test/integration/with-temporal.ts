import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#infra/stack/free-port.ts';
import { config, hostEnvironment } from '#infra/config.ts';
import { startTemporal } from '#infra/stack/temporal-server.ts';
import { sharedServer, type SharedServer } from './run-folder.ts';

export interface TestTemporal {
  /** host:port of a real server. A worker's connection takes `grpcCompression: {codec: 'none'}`. */
  address: string;
  namespace: string;
  /** Nobody else's: tests share the namespace, so they must not share names of queues or workflows. */
  taskQueue: string;
  /** `${prefix}-<random>`, for a workflow id or another queue. */
  unique(prefix: string): string;
}

/**
 * A real Temporal dev server: that of `SETPOINT_TEMPORAL_ADDRESS` if set, else one that is started for the vitest run
 * (about 1.5 s; a first run on a machine fetches it). Each call names a task queue of its own.
 */
export async function withTemporal(): Promise<TestTemporal> {
  const given = config().temporalAddress;
  const address = given ?? (await sharedServer('temporal', start)).address;
  const unique = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`;
  return { address, namespace: 'default', taskQueue: unique('test'), unique };
}

async function start(folder: string): Promise<SharedServer> {
  await mkdir(folder, { recursive: true });
  const searchPath = hostEnvironment()['PATH'] ?? '';
  const server = await startTemporal({
    folder,
    port: await freePort(),
    namespace: 'default',
    searchPath,
    find: { given: config().temporalCli, cacheFolder: config().cacheFolder, searchPath, onTry: () => undefined },
    logFile: join(folder, 'temporal.log'),
  });
  return { address: server.address, process: server.process, folders: [] };
}
