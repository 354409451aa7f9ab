import type { Activities } from '#core/contract/activities.ts';

/**
 * The limits of one activity (decision 6), in seconds. `start` is start-to-close; `queued` is schedule-to-start:
 * on a host's queue it is a wait for capacity or for the host to come back, never a failure of the work.
 */
export interface ActivityPolicy {
  start: number;
  queued: number;
  heartbeat?: number;
  attempts: number;
  firstRetry: number;
  maxRetry: number;
}

const day = 86_400;
/**
 * Longer than a host's lease (80 s): a host is lost only when its lease is (decision 15), so an engine that is away for a
 * minute must not cost an attempt that is well. A killed host gives its tasks back itself and waits for no heartbeat.
 */
const attemptHeartbeat = 90;

/**
 * Every activity states its limits here; a missing one does not compile. An attempt costs money: the engine never
 * repeats it (decision 4), the law does, after looking up what the first try left behind.
 * `start` of attempt, judge and evaluate is the ceiling; the plan's own limits are tighter and kept by the host.
 */
export const policy = {
  attempt: { start: 7 * day, queued: 30 * day, heartbeat: attemptHeartbeat, attempts: 1, firstRetry: 1, maxRetry: 1 },
  judge: { start: day, queued: 30 * day, heartbeat: 15, attempts: 50, firstRetry: 1, maxRetry: 30 },
  evaluate: { start: 3600, queued: 30 * day, heartbeat: 15, attempts: 50, firstRetry: 1, maxRetry: 30 },
  deliver: { start: 600, queued: 30 * day, heartbeat: 15, attempts: 50, firstRetry: 1, maxRetry: 30 },
  /** A host that is away for longer is not waited for: the clean-up is asked for again. */
  cleanupWorkspace: { start: 900, queued: day, heartbeat: 15, attempts: 10, firstRetry: 1, maxRetry: 30 },
  review: { start: day, queued: 30 * day, heartbeat: 15, attempts: 50, firstRetry: 1, maxRetry: 30 },
  openTask: { start: 120, queued: 30 * day, heartbeat: 15, attempts: 50, firstRetry: 1, maxRetry: 30 },
  keepFiles: { start: 600, queued: 30 * day, heartbeat: 15, attempts: 5, firstRetry: 1, maxRetry: 30 },
  openWorkspace: { start: 900, queued: 30 * day, heartbeat: 15, attempts: 50, firstRetry: 1, maxRetry: 30 },
  recordEvents: { start: 2, queued: 2, attempts: 1, firstRetry: 1, maxRetry: 1 },
  recoverAttempt: { start: 5, queued: 30 * day, attempts: 1000, firstRetry: 1, maxRetry: 10 },
  expand: { start: 30, queued: 30 * day, attempts: 1000, firstRetry: 1, maxRetry: 10 },
  startChild: { start: 30, queued: 30 * day, attempts: 1000, firstRetry: 1, maxRetry: 10 },
  collect: { start: 30, queued: 30 * day, attempts: 1000, firstRetry: 1, maxRetry: 10 },
  cancelChild: { start: 30, queued: 30 * day, attempts: 1000, firstRetry: 1, maxRetry: 10 },
} as const satisfies Record<keyof Activities, ActivityPolicy>;
