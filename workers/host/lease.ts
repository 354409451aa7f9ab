import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#infra/log.ts';
import { type HostStore, leaseRenewSeconds, leaseRetrySeconds, leaseSeconds } from '#infra/postgres/host-store.ts';

export interface Lease {
  /** Renews once. */
  renew(): Promise<void>;
  /** Renews until the signal, then gives the lease up. */
  keep(signal: AbortSignal): Promise<void>;
}

export interface LeaseRequest {
  hosts: HostStore;
  host: { hostId: string; slots: number; info: Record<string, unknown> };
  /**
   * Called once when the lease is gone: the runs may be given to another host, so nothing of them may live on here. What
   * the engine gives out on this host's queue after that is meant for it, and goes on while the database is away.
   */
  onLost: () => Promise<void>;
  log: Logger;
  /** Milliseconds; default `Date.now`. */
  now?: () => number;
}

/**
 * A host is lost only when its lease is (decision 15). A database that is away for less than the lease is no loss; one
 * that is away for longer is, since another host may then have been told so.
 */
export async function takeLease({ hosts, host, onLost, log, now = Date.now }: LeaseRequest): Promise<Lease> {
  let token = await hosts.register(host);
  let renewedAt = now();
  let isLost = false;
  let isAway = false;

  async function renew(): Promise<void> {
    const held = await hosts.renew(host.hostId, token).catch((error: unknown) => {
      log.warn({ err: error }, 'the lease could not be renewed');
      return undefined;
    });
    isAway = held === undefined;
    if (held === true) {
      renewedAt = now();
      isLost = false;
      return;
    }
    const expired = now() - renewedAt > leaseSeconds * 1000;
    if (held === undefined && !expired) return;
    if (!isLost) {
      isLost = true;
      log.error('the lease is lost: everything that runs here is ended');
      await onLost();
    }
    if (held === undefined) return;
    await takeAgain();
  }

  async function takeAgain(): Promise<void> {
    try {
      token = await hosts.register(host);
    } catch (error) {
      log.warn({ err: error }, 'the lease could not be taken again');
      return;
    }
    renewedAt = now();
    isLost = false;
  }

  return {
    renew,
    async keep(signal) {
      while (!signal.aborted) {
        const seconds = isAway ? leaseRetrySeconds : leaseRenewSeconds;
        await delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted) await renew();
      }
      await hosts.release(host.hostId, token).catch((error: unknown) => {
        log.warn({ err: error }, 'the lease could not be given up; it runs out by itself');
      });
    },
  };
}
