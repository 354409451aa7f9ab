import { z } from 'zod';

import { ArtifactRef } from '#core/contract/artifact.ts';

/** A commit of the workspace outside the branch namespace (F2). `head` is where HEAD stood, for C8. */
export const SnapshotRef = z.object({ commit: z.string(), tree: z.string(), head: z.string() });
export type SnapshotRef = z.infer<typeof SnapshotRef>;

/** What an attempt cost. `usd` absent = unknown; `estimated` = computed from tokens, not told by the CLI. */
export const Spend = z.object({
  usd: z.number().min(0).optional(),
  estimated: z.boolean(),
  inputTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
});
export type Spend = z.infer<typeof Spend>;

/**
 * How an attempt ended (A12: the AND of its signals), before any check.
 * - `ok`: exit 0 and every signal agrees.
 * - `failed`: it ran to its end and did not succeed (exit code, terminal error, disagreement, denied permission).
 * - `timed_out`: its own limit; no infrastructure failure (A3).
 * - `cancelled`: we ended it.
 * - `crashed`: it died by a signal that was not ours; the system starts it again (E5).
 * - `overload`: the provider could not serve it; an infrastructure failure (A2).
 * - `quota`: the provider's usage window; waited out, spends nothing (E6).
 * - `refused`: deterministic provider error (sign-in, bad request); never retried (A3).
 */
export const AttemptEnd = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok') }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
  z.object({ kind: z.literal('timed_out'), afterSeconds: z.number() }),
  z.object({ kind: z.literal('cancelled') }),
  z.object({ kind: z.literal('crashed'), reason: z.string() }),
  z.object({ kind: z.literal('overload'), reason: z.string(), retryAfterSeconds: z.number().min(0).optional() }),
  z.object({ kind: z.literal('quota'), reason: z.string(), resetAtMs: z.number().optional() }),
  z.object({ kind: z.literal('refused'), reason: z.string(), remedy: z.string() }),
]);
export type AttemptEnd = z.infer<typeof AttemptEnd>;

/** A6 on the output of an attempt. `error`: the pattern could not be judged in its time. */
export const MatchOutcome = z.object({ kind: z.enum(['pass', 'fail', 'error']), reason: z.string() });
export type MatchOutcome = z.infer<typeof MatchOutcome>;

/** What one attempt left behind, as stored under its WorkKey. */
export const AttemptResult = z.object({
  end: AttemptEnd,
  exitCode: z.number().int().optional(),
  /** The recorded output (A5): final answer of an agent, stdout and stderr of a command. */
  output: ArtifactRef,
  /** The whole stream of an agent, when `output` is only its final answer. */
  log: ArtifactRef.optional(),
  /** What the attempt tells the next pass when it failed (C9); absent when it succeeded. */
  feedback: ArtifactRef.optional(),
  match: MatchOutcome.optional(),
  /** Is one of `continueOn`'s patterns in the output? `error`: that could not be judged. Absent where there are none. */
  goesOn: MatchOutcome.optional(),
  /** What a text harness was asked, and may have printed back (A9); absent where the output is a final answer (A5). */
  echoed: ArtifactRef.optional(),
  /** B7: the agent's own reports of this pass, by path. */
  reports: z.record(z.string(), ArtifactRef).optional(),
  /** Named outputs of a child run. */
  outputs: z.record(z.string(), ArtifactRef).optional(),
  /** The list of the files in the run's folder of artifacts (D-06), as the attempt left them. */
  artifacts: ArtifactRef.optional(),
  /** Absent with `worktree: off` and for readers. */
  snapshot: SnapshotRef.optional(),
  /** Covers tree, HEAD and, for a command, its outcome and normalised output (C8, C10). */
  fingerprint: z.string(),
  spend: Spend,
  session: z.string().optional(),
  /** Which agent worked, when `auto` or a fallback chose it. */
  agent: z.string().optional(),
  findings: z.array(z.string()),
  durationMs: z.number(),
});
export type AttemptResult = z.infer<typeof AttemptResult>;
