import { z } from 'zod';

/**
 * A command whose result is compared (A7). `returns` is always a string; `auto` compares `true`/`false` to exit 0,
 * an integer to the exit code, anything else to trimmed stdout. Outcome: met, unmet or error, never conflated (A8).
 */
export const Condition = z.object({
  command: z.string(),
  compare: z.enum(['stdout', 'stderr', 'exitCode', 'auto']),
  returns: z.string(),
  timeSeconds: z.number().positive(),
});
export type Condition = z.infer<typeof Condition>;

export const ConditionOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('met'), actual: z.string() }),
  z.object({ kind: z.literal('unmet'), actual: z.string() }),
  z.object({ kind: z.literal('error'), reason: z.string() }),
]);
export type ConditionOutcome = z.infer<typeof ConditionOutcome>;
