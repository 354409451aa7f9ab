export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/**
 * Gives `work` a signal that aborts with `signal`, and after the limit with a `TookTooLong`. A timer of ours: a signal made
 * of `AbortSignal.timeout` by `AbortSignal.any` is collected before it fires when nobody else holds it (Node 20).
 */
export async function withinLimit<T>(
  signal: AbortSignal,
  limitMs: number,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const leave = () => limit.abort(signal.reason);
  const late = () => limit.abort(new TookTooLong(`There was no answer within ${String(limitMs / 1000)} s.`));
  const timer = setTimeout(late, limitMs);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}
