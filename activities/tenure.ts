import { setTimeout as delay } from 'node:timers/promises';

/** The tasks of a host while its lease is its own (decision 15). */
export interface Tenure {
  /** `lost` aborts when the lease is lost in the middle of the task. Call `leave` when nothing of the task is alive. */
  enter(containmentId: string): { lost: AbortSignal; leave: () => void };
  /**
   * Tells every task to end and waits for that, at most so many milliseconds. Returns the containments of those that have
   * not ended. Tasks that enter later are not meant.
   */
  end(withinMs: number): Promise<string[]>;
}

interface Entered {
  containmentId: string;
  lost: AbortController;
  ended: Promise<void>;
}

export function createTenure(): Tenure {
  const tasks = new Set<Entered>();
  return {
    enter(containmentId) {
      const lost = new AbortController();
      let left: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        left = resolve;
      });
      const task = { containmentId, lost, ended };
      tasks.add(task);
      return {
        lost: lost.signal,
        leave() {
          tasks.delete(task);
          left();
        },
      };
    },
    async end(withinMs) {
      const meant = [...tasks];
      for (const { lost } of meant) lost.abort();
      const stop = new AbortController();
      const longEnough = delay(withinMs, undefined, { signal: stop.signal }).catch(() => undefined);
      await Promise.race([Promise.all(meant.map(({ ended }) => ended)), longEnough]);
      stop.abort();
      return meant.filter((task) => tasks.has(task)).map(({ containmentId }) => containmentId);
    },
  };
}
