import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#infra/log.ts';
import { type HostStore, leaseRenewSeconds, leaseSeconds } from '#infra/postgres/host-store.ts';

export interface Lease {
  /** Renews until the signal, then gives the lease up. */
  keep(signal: AbortSignal): Promise<void>;
}

export interface LeaseRequest {
  hosts: HostStore;
  host: { hostId: string; slots: number; info: Record<string, unknown> };
  /** Called when the lease is gone: the runs may be given to another host, so nothing of them may live on here. */
  onLost: () => Promise<void>;
  log: Logger;
}

/**
 * A host is lost only when its lease is (decision 15). A database that is away for less than the lease is no loss; one
 * that is away for longer is, since another host may then have been told so.
 */
export async function takeLease({ hosts, host, onLost, log }: LeaseRequest): Promise<Lease> {
  let token = await hosts.register(host);
  let renewedAt = Date.now();

  async function renew(): Promise<void> {
    const held = await hosts.renew(host.hostId, token).catch((error: unknown) => {
      log.warn({ err: error }, 'the lease could not be renewed');
      return undefined;
    });
    if (held === true) {
      renewedAt = Date.now();
      return;
    }
    const expired = Date.now() - renewedAt > leaseSeconds * 1000;
    if (held === undefined && !expired) return;
    log.error('the lease is lost: everything that runs here is ended');
    await onLost();
    if (held === undefined) return;
    token = await hosts.register(host);
    renewedAt = Date.now();
  }

  return {
    async keep(signal) {
      while (!signal.aborted) {
        await delay(leaseRenewSeconds * 1000, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted) await renew();
      }
      await hosts.release(host.hostId, token).catch((error: unknown) => {
        log.warn({ err: error }, 'the lease could not be given up; it runs out by itself');
      });
    },
  };
}
