import { z } from 'zod';
import { ArtifactRef } from '#core/contract/artifact.ts';
import { AttemptEnd, Spend } from '#core/run/attempt-result.ts';

/** The stage after the process: stored before anything else is done with it, so that it is never paid twice. */
export const Ran = z.object({
  end: AttemptEnd,
  exitCode: z.number().int().optional(),
  output: ArtifactRef,
  log: ArtifactRef.optional(),
  feedback: ArtifactRef.optional(),
  /** SHA-256 of the normalised output of a command (C10); absent for agents, whose words vary. */
  digest: z.string().optional(),
  /** SHA-256 of each stream that is written into the folder of artifacts (D-07). */
  streams: z.object({ stdout: z.string().optional(), stderr: z.string().optional() }).optional(),
  /** The prompt that a text harness may have printed back: left out of what is judged (A9, R001). */
  echoed: ArtifactRef.optional(),
  spend: Spend,
  session: z.string().optional(),
  agent: z.string().optional(),
  /** B7: the reports that it left, by path. */
  reports: z.record(z.string(), ArtifactRef).optional(),
  findings: z.array(z.string()),
  durationMs: z.number(),
});
export type Ran = z.infer<typeof Ran>;
