/**
 * What became of one try. `later`: the receiver may take it another time. `never`: the same again would be refused again.
 * Reasons are for the log and for whoever looks at the row.
 */
export type SendOutcome =
  | { kind: 'sent'; note?: string }
  | { kind: 'later'; reason: string }
  | { kind: 'never'; reason: string };

/** How long one try may take. */
export const sendMs = 10_000;

class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/**
 * Gives `work` a signal that aborts with `signal`, and after the limit. A timer of ours: a signal made of
 * `AbortSignal.timeout` by `AbortSignal.any` can be collected before it fires (Node 20).
 */
export async function withinLimit<T>(
  signal: AbortSignal,
  limitMs: number,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const leave = () => limit.abort(signal.reason);
  const late = () => limit.abort(new TookTooLong(`It did not answer within ${String(limitMs / 1000)} s.`));
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

/** A connection that was tried on several addresses fails with a code and no message; a limit hides behind the abort. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof TookTooLong) return error.cause.message;
  return error.message || ('code' in error ? String(error.code) : error.name);
}
