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
