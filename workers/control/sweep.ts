import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#infra/log.ts';
import type { Messaging } from '#infra/temporal/run-messages.ts';
import { sweepOnce } from '#infra/temporal/sweeper.ts';

const everyMs = 2_000;

/** Sweeps every two seconds until the signal. A sweep that fails is told and tried again: the next one may find better days. */
export async function sweepUntil(messaging: Messaging, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const swept = await sweepOnce(messaging);
      if (Object.values(swept).flat().length > 0) log.info(swept, 'swept');
    } catch (error) {
      log.warn({ err: error }, 'a sweep failed; the next one tries again');
    }
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
