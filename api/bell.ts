import type { RunStatus } from '#core/run/summary.ts';
import type { EventStream } from '#infra/postgres/event-stream.ts';

/** Rings when something was added to a run's record. A ring while nobody waits is not lost. */
export interface Bell {
  /** Waits for a ring, at most `ms`; true when it rang. Ends early when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

/**
 * Open the bell, then read the record, then wait: what comes in between rings. `only` is the one status worth a ring;
 * a ring of which the status is not known counts always.
 */
export function openBell(stream: EventStream, runId: string, only?: RunStatus): Bell {
  let rang = false;
  let wake = (): void => undefined;
  const unsubscribe = stream.subscribe(runId, (status) => {
    if (only !== undefined && status !== undefined && status !== only) return;
    rang = true;
    wake();
  });
  return {
    async wait(ms, signal) {
      if (!rang && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', wake);
            resolve();
          };
          signal.addEventListener('abort', wake);
        });
        wake();
        wake = () => undefined;
      }
      const didRing = rang;
      rang = false;
      return didRing;
    },
    close: unsubscribe,
  };
}
