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
  /**
   * How `returns` meets what was found; absent = they are equal. `line`: a line of it is equal; `pattern`: `returns` is a
   * regular expression (A6's dialect) that matches in it.
   */
  by: z.enum(['line', 'pattern']).optional(),
  /** Met when it would be unmet, and the other way round; an error stays one (A8). */
  negate: z.boolean().optional(),
});
export type Condition = z.infer<typeof Condition>;

export const ConditionOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('met'), actual: z.string() }),
  z.object({ kind: z.literal('unmet'), actual: z.string() }),
  z.object({ kind: z.literal('error'), reason: z.string() }),
]);
export type ConditionOutcome = z.infer<typeof ConditionOutcome>;
