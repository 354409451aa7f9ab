import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '#core/contract/fault.ts';

const backoff = { firstMs: 250, mostMs: 5_000 };

/**
 * Writes to the shared store until it is written: what was paid for is never dropped because the database was away
 * (decision 4). Ends early only when the task is aborted.
 */
export async function persist<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let waitMs = backoff.firstMs; ; waitMs = Math.min(waitMs * 2, backoff.mostMs)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'store/unavailable' || signal.aborted) throw error;
      await delay(waitMs);
    }
  }
}
