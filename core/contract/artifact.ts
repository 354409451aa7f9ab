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

/**
 * The files of a run's folder of artifacts, as they were at one moment (D-06). `path` is relative to it, with `/`;
 * `changedMs`: when its content or mode last changed on its host.
 */
export const ArtifactsList = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      sha256: z.string(),
      bytes: z.number().int(),
      executable: z.boolean(),
      changedMs: z.number(),
    }),
  ),
});
export type ArtifactsList = z.infer<typeof ArtifactsList>;
