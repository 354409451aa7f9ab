import { z } from 'zod';

/**
 * A text or file kept whole in the artifact store, and what of it may cross a boundary (decision 5).
 * `excerpt` is at most 2 KiB of normalised text (A9): head and tail with a marker of what is cut.
 */
export const ArtifactRef = z.object({
  sha256: z.string(),
  bytes: z.number().int(),
  excerpt: z.string(),
});
export type ArtifactRef = z.infer<typeof ArtifactRef>;
