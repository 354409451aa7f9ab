import { z } from 'zod';

import { ArtifactRef } from '#core/contract/artifact.ts';

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
  /** For `by: pattern`: letters match in their own case only, which A6's patterns do not ask. */
  caseSensitive: z.boolean().optional(),
  /** Met when it would be unmet, and the other way round; an error stays one (A8). */
  negate: z.boolean().optional(),
});
export type Condition = z.infer<typeof Condition>;

/** What a judged condition tells the words of the next pass (C-12). Of an error `stderr` ends with its cause (C-13). */
export const ConditionFound = z.object({
  stdout: ArtifactRef,
  stderr: ArtifactRef,
  /** Absent when its command did not end by itself. */
  exitCode: z.number().int().optional(),
  actual: z.string(),
  expected: z.string(),
  compareSource: z.enum(['stdout', 'stderr', 'exitCode', 'auto']),
});
export type ConditionFound = z.infer<typeof ConditionFound>;

const found = ConditionFound.optional();

export const ConditionOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('met'), actual: z.string(), found }),
  z.object({ kind: z.literal('unmet'), actual: z.string(), found }),
  z.object({ kind: z.literal('error'), reason: z.string(), found }),
]);
export type ConditionOutcome = z.infer<typeof ConditionOutcome>;
