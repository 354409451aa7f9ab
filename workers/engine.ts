import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#infra/config.ts';
import type { Logger } from '#infra/log.ts';

/** Of the embedded stack's own Temporal; a worker alone is told where it is. */
const defaultAddress = '127.0.0.1:7233';

export function temporalAddress(config: Config): string {
  return config.temporalAddress ?? defaultAddress;
}

/** Sets up the process for the engine once: its log goes into ours, and signals stay with us. */
export function installRuntime(log: Logger): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    log[level === 'ERROR' ? 'error' : 'warn']({ meta }, message);
  });
  Runtime.install({ logger, shutdownSignals: [] });
}

const retryMs = { first: 200, most: 5_000 };

/** Connects, waiting for an engine that is not there yet: a worker outlives its server (E5). */
export async function connect(config: Config, log: Logger, signal: AbortSignal): Promise<NativeConnection> {
  const address = temporalAddress(config);
  for (let waitMs = retryMs.first; ; waitMs = Math.min(waitMs * 2, retryMs.most)) {
    signal.throwIfAborted();
    try {
      return await NativeConnection.connect({ address, ...compression(address) });
    } catch (error) {
      log.warn({ err: error, address }, 'Temporal does not answer yet; trying again');
      await delay(waitMs);
    }
  }
}

/** On loopback compression only costs processor time. */
function compression(address: string): { grpcCompression?: { codec: 'none' } } {
  return /^(127\.|localhost|\[::1\])/.test(address) ? { grpcCompression: { codec: 'none' } } : {};
}
