import { TookTooLong } from '#infra/process/time-limit.ts';

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

/** A connection that was tried on several addresses fails with a code and no message; a limit hides behind the abort. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof TookTooLong) return error.cause.message;
  return error.message || ('code' in error ? String(error.code) : error.name);
}
