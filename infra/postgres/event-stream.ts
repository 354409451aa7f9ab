import pg from 'pg';
import { eventsChannel } from '#infra/postgres/event-store.ts';

export interface EventStream {
  /**
   * Calls `wake` whenever events were added to the run, with the status that they left it in, or without one when they
   * may have been added while the connection was away.
   */
  subscribe: (runId: string, wake: Wake) => Unsubscribe;
  close(): Promise<void>;
}

export type Wake = (status?: string) => void;
export type Unsubscribe = () => void;

const firstRetryMs = 100;
const maxRetryMs = 5_000;

/**
 * One connection that listens for all runs of this process; it is made again when it breaks, and then every subscriber is
 * woken, since what was announced meanwhile is lost. A subscriber reads the record itself.
 */
export function openEventStream(url: string): EventStream {
  const listeners = new Map<string, Set<Wake>>();
  let closed = false;
  let retryMs = firstRetryMs;
  let retry: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;

  const wakeAll = (): void => {
    for (const wakes of listeners.values()) for (const wake of wakes) wake();
  };
  const connect = async (): Promise<void> => {
    const mine = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
    client = mine;
    // `end` follows an error as well, and is where the next connection is planned.
    mine.on('error', () => undefined);
    mine.once('end', reconnect);
    mine.on('notification', ({ payload = '' }) => {
      const [runId = '', status] = payload.split(' ');
      for (const wake of listeners.get(runId) ?? []) wake(status);
    });
    await mine.connect();
    await mine.query(`listen ${eventsChannel}`);
    retryMs = firstRetryMs;
    wakeAll();
  };
  const reconnect = (): void => {
    if (closed || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      open();
    }, retryMs);
    retryMs = Math.min(retryMs * 2, maxRetryMs);
  };
  const open = (): void => {
    connect().catch(reconnect);
  };
  open();

  return {
    subscribe(runId, wake) {
      const wakes = listeners.get(runId) ?? new Set();
      listeners.set(runId, wakes.add(wake));
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0 && listeners.get(runId) === wakes) listeners.delete(runId);
      };
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
