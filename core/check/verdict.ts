import { z } from 'zod';

import { ArtifactRef } from '#core/contract/artifact.ts';

/** `ran` counts what passed or failed; a skipped test proves nothing. */
export const TestCount = z.object({
  ran: z.number().int().min(0),
  failed: z.number().int().min(0),
  skipped: z.number().int().min(0),
});
export type TestCount = z.infer<typeof TestCount>;

/** What a verdict rests on (B1, S-03): small facts and references, never whole logs. */
export const Evidence = z.object({
  /** One line that a person reads first. */
  summary: z.string(),
  exitCode: z.number().int().optional(),
  /** The whole output. */
  log: ArtifactRef.optional(),
  /** The excerpt that is routed to the next pass (C9), at most 12,000 characters. */
  feedback: ArtifactRef.optional(),
  /** B9: the tests that ran, where a report or the output tells them. */
  tests: TestCount.optional(),
  /** B11: the normalised names of all failing tests; absent when they are unknown or too many to carry. */
  failing: z.array(z.string()).optional(),
  /** B11: it failed on the base in the same way, and so is not held against the work. */
  inherited: z.boolean().optional(),
  /** The snapshot that it was judged on; absent with `worktree: off`. */
  commit: z.string().optional(),
  tree: z.string().optional(),
  /** SHA-256 of the normalised findings (C10), for C8. */
  digest: z.string().optional(),
  durationMs: z.number(),
});
export type Evidence = z.infer<typeof Evidence>;

/** B1: `missing` counts as fail; `error` could not run: never passes, never blames the work. */
export const Verdict = z.object({
  kind: z.enum(['pass', 'fail', 'missing', 'error']),
  evidence: Evidence,
  /** Advisories beside the verdict, such as `check_mutated_tree` (B12), `tampered` (B4). */
  findings: z.array(z.string()),
});
export type Verdict = z.infer<typeof Verdict>;
