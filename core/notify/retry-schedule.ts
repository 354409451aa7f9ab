/** Waits after the first tries that failed: 10 s, 1 min, 5 min, 30 min, 2 h; after every later one 6 h. */
const firstWaits = [10, 60, 300, 1_800, 7_200];
const laterWait = 21_600;

/** A notification that is older than this is not worth another try: three days. */
const mostSeconds = 259_200;

/**
 * How long to wait before a notification is sent again; undefined = it is given up. `tries` counts those that failed,
 * from 1; `ageSeconds` is the time since the notification was written.
 */
export function retryAfterSeconds(tries: number, ageSeconds: number): number | undefined {
  const wait = firstWaits[tries - 1] ?? laterWait;
  return ageSeconds + wait > mostSeconds ? undefined : wait;
}
