import { z } from 'zod';

import { ConditionOutcome } from '#core/check/condition.ts';
import { Verdict } from '#core/check/verdict.ts';
import { AttemptResult, SnapshotRef, Spend } from '#core/run/attempt-result.ts';
import { Stop, StopKind } from '#core/run/stop.ts';

/** A fault that reached the law: code of the closed list, message with the remedy. */
export const FaultSeen = z.object({ code: z.string(), message: z.string() });
export type FaultSeen = z.infer<typeof FaultSeen>;

/** What a delivery did (G1, G2). */
export const DeliveryDone = z.object({
  mode: z.enum(['none', 'commit', 'branch', 'pr', 'merge']),
  nothingToDeliver: z.boolean(),
  commit: z.string().optional(),
  branch: z.string().optional(),
});
export type DeliveryDone = z.infer<typeof DeliveryDone>;

const at = { at: z.number() };
const onStep = { ...at, step: z.string(), pass: z.number().int() };
const onAttempt = { ...onStep, attempt: z.number().int() };

/**
 * Everything that can happen to a run, in the order in which the law learned it. The events in the database are the
 * record: folding them with `apply` gives the state. `at` is epoch milliseconds. Names are `<noun>.<past>`.
 */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run.started'), ...at, runId: z.string() }),
  /** A seat took over: what the seat before it had in flight is lost or must be looked up (decision 13). */
  z.object({ type: z.literal('run.reseated'), ...at, seat: z.number().int() }),
  z.object({ type: z.literal('run.retried'), ...at, messageId: z.string() }),
  z.object({ type: z.literal('run.paused'), ...at, code: z.string(), reason: z.string(), remedy: z.string() }),
  z.object({ type: z.literal('run.cancelling'), ...at, messageId: z.string(), reason: z.string() }),
  /** Work of ours or the limits ended the loop: nothing new starts; the run stops once all in flight has settled. */
  z.object({ type: z.literal('run.ending'), ...at, stop: Stop }),
  z.object({ type: z.literal('run.stopped'), ...at, stop: Stop }),
  z.object({ type: z.literal('timer.fired'), ...at }),

  z.object({ type: z.literal('workspace.opening'), ...at }),
  z.object({
    type: z.literal('workspace.opened'),
    ...at,
    hostId: z.string(),
    queue: z.string(),
    path: z.string(),
    /** Absent with `worktree: off`. */
    base: SnapshotRef.optional(),
    notes: z.array(z.string()),
  }),
  z.object({ type: z.literal('workspace.failed'), ...at, fault: FaultSeen }),

  z.object({ type: z.literal('baseline.started'), ...at }),
  z.object({
    type: z.literal('baseline.judged'),
    ...at,
    verdicts: z.array(z.object({ step: z.string(), check: z.string(), verdict: Verdict })),
  }),
  z.object({ type: z.literal('baseline.failed'), ...at, fault: FaultSeen }),

  /** What is under way for the step no longer counts: it is being ended and holds the workspace until then. */
  z.object({ type: z.literal('work.cancelling'), ...onStep }),
  /** It settled after it was cancelled; nothing of it is applied but its spend. */
  z.object({ type: z.literal('work.cancelled'), ...onStep, spend: Spend.optional() }),
  /** `purpose` tells a `when` before the step from a `repeat` after its pass. */
  z.object({ type: z.literal('condition.started'), ...onStep, purpose: z.enum(['when', 'repeat']) }),
  z.object({
    type: z.literal('condition.judged'),
    ...onStep,
    purpose: z.enum(['when', 'repeat']),
    outcome: ConditionOutcome,
  }),

  z.object({ type: z.literal('attempt.started'), ...onAttempt }),
  z.object({ type: z.literal('attempt.finished'), ...onAttempt, result: AttemptResult }),
  /** The host or worker died, or a fault came, before a result: the law looks the result up (decision 4). */
  z.object({ type: z.literal('attempt.interrupted'), ...onAttempt, fault: FaultSeen }),
  z.object({ type: z.literal('recovery.started'), ...onAttempt }),
  /** Nothing finished was found: started again as attempt + 1, what it had spent is counted (E5). */
  z.object({ type: z.literal('attempt.lost'), ...onAttempt, spend: Spend }),
  /** Its process had ended and its output is stored: the same attempt goes on with its later stages. */
  z.object({ type: z.literal('attempt.resumable'), ...onAttempt }),

  z.object({ type: z.literal('checks.started'), ...onStep, round: z.number().int() }),
  z.object({ type: z.literal('check.judged'), ...onStep, check: z.string(), verdict: Verdict }),
  z.object({ type: z.literal('checks.finished'), ...onStep, fingerprint: z.string(), tree: z.string().optional() }),
  z.object({ type: z.literal('checks.interrupted'), ...onStep, fault: FaultSeen }),

  z.object({ type: z.literal('step.succeeded'), ...onStep, note: z.string().optional() }),
  /** `stop`: how the run ends for it, unless `continued` (continueOnError). */
  z.object({
    type: z.literal('step.failed'),
    ...onStep,
    reason: z.string(),
    continued: z.boolean(),
    stop: StopKind,
  }),
  /** Its checks were judged on another tree than the one to be delivered: they are judged again (G2). */
  z.object({ type: z.literal('step.reopened'), ...onStep, reason: z.string() }),
  z.object({ type: z.literal('step.skipped'), ...onStep, reason: z.string() }),
  /** The loop of `step` fired (C2): every step of `reset` begins its next pass. */
  z.object({
    type: z.literal('loop.fired'),
    ...onStep,
    to: z.string(),
    count: z.number().int(),
    limit: z.number().int().nullable(),
    reset: z.array(z.string()),
    /** What C8 compares with the passes before. */
    fingerprint: z.string(),
    /** How often in a row the fingerprint was seen before. */
    repeats: z.number().int(),
    /** Epoch ms before which the target must not start (C5's wait). */
    notBefore: z.number().optional(),
    message: z.string(),
  }),
  /** A retry within the pass (A2): `kind` says whose budget pays. */
  z.object({
    type: z.literal('attempt.retried'),
    ...onAttempt,
    kind: z.enum(['retry', 'crash', 'quota', 'shutdown', 'wait']),
    reason: z.string(),
    notBefore: z.number().optional(),
  }),

  z.object({ type: z.literal('delivery.started'), ...at }),
  z.object({ type: z.literal('delivery.finished'), ...at, delivery: DeliveryDone }),
  z.object({ type: z.literal('delivery.failed'), ...at, fault: FaultSeen }),
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type RunEventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** An event as it is stored: `seq` counts from 1 without a gap over all seats of a run. */
export interface StoredEvent {
  seq: number;
  event: RunEvent;
}
