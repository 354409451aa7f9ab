import { z } from 'zod';

import { ArtifactRef } from '#core/contract/artifact.ts';

export const DecisionKind = z.enum(['approve', 'reject', 'push_back']);
export type DecisionKind = z.infer<typeof DecisionKind>;

/** What a task asks, frozen when it opens (D1, D6). */
export const Question = z.object({
  /** At most 8 KiB; `whole` where it is longer. */
  ask: z.object({ text: z.string(), whole: ArtifactRef.optional() }),
  shown: z.array(z.object({ name: z.string(), content: ArtifactRef })),
  /** JSON Schema of what is sent with a decision. */
  form: z.record(z.string(), z.unknown()).optional(),
  /** As `form`, of a push back (D-10); absent = `form` holds for that, too. */
  pushBackForm: z.record(z.string(), z.unknown()).optional(),
  /** Empty = everyone who may use the project. */
  who: z.array(z.string()),
  quorum: z.number().int().min(1),
  notAuthor: z.boolean(),
  /** The snapshot that was shown; absent with `worktree: off`. */
  commit: z.string().optional(),
  tree: z.string().optional(),
  /** Where a push back may go; the first is the default. Empty = there is no way back. */
  backTo: z.array(z.string()),
  /** Epoch ms at which it expires. */
  expiresAt: z.number().optional(),
});
export type Question = z.infer<typeof Question>;

/** One person's answer to a task, as the law keeps it. */
export const Decision = z.object({
  kind: DecisionKind,
  /** The person's name. */
  by: z.string(),
  /** One line, at most 1,000 characters. */
  comment: z.string(),
  /** The whole comment with the form, as it is told to the next pass. */
  text: ArtifactRef,
  form: z.record(z.string(), z.unknown()).optional(),
  /** A push back's target, when it is not the default. */
  to: z.string().optional(),
  /** SHA-256 of the answer in canonical form: the same one again is the same decision (D2). */
  digest: z.string(),
});
export type Decision = z.infer<typeof Decision>;
