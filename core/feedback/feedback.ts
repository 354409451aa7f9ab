import { z } from 'zod';

import { ArtifactRef } from '#core/contract/artifact.ts';

/**
 * One thing that is routed to the next pass (C9), stamped with where it came from. `stale` = older than the last pass
 * of its source. The text itself (at most 12,000 characters) stays in the artifact store.
 */
export const FeedbackEntry = z.object({
  step: z.string(),
  pass: z.number().int(),
  /** The check's name; absent when the attempt itself failed. */
  check: z.string().optional(),
  /** The person who said it. */
  by: z.string().optional(),
  verdict: z.enum(['fail', 'missing', 'error']),
  summary: z.string(),
  text: ArtifactRef.optional(),
  /** The whole output, for its path in the brief. */
  whole: ArtifactRef.optional(),
  stale: z.boolean(),
  baseline: z.boolean(),
});
export type FeedbackEntry = z.infer<typeof FeedbackEntry>;
