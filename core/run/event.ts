import { z } from 'zod';

import { ArtifactRef } from '#core/contract/artifact.ts';
import { ConditionOutcome } from '#core/check/condition.ts';
import { Verdict } from '#core/check/verdict.ts';
import { Plan } from '#core/plan/plan.ts';
import { AttemptResult, SnapshotRef, Spend } from '#core/run/attempt-result.ts';
import { Stop, StopKind } from '#core/run/stop.ts';
import { Decision, Question } from '#core/task/question.ts';

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

/** A child's place in its parent. `index` counts the items of a list from 0. */
export const ParentRef = z.object({
  runId: z.string(),
  step: z.string(),
  pass: z.number().int(),
  index: z.number().int().min(0),
  /** Of the call within its pass, where it was made again (A2); absent = the first. */
  attempt: z.number().int().min(2).optional(),
  /** Of the host that has the parent's snapshot, where the child works from it; absent = any host may take the child. */
  queue: z.string().optional(),
});
export type ParentRef = z.infer<typeof ParentRef>;

/** What a run tells its parent when it has ended. */
export const ToParent = z.object({
  /** Of the last step that has an output. */
  output: ArtifactRef.optional(),
  outputs: z.record(z.string(), ArtifactRef),
  spend: Spend,
  activeMs: z.number(),
});
export type ToParent = z.infer<typeof ToParent>;

/** Limits that were raised; absent ones stay. `passes` is how often a loop's own step may run. */
export const RaisedLimits = z.object({
  passes: z.number().int().min(1).optional(),
  /** Whose loop; absent = every loop with fewer passes. */
  step: z.string().optional(),
  timeSeconds: z.number().positive().optional(),
  deadlineSeconds: z.number().positive().optional(),
  spendUsd: z.number().positive().optional(),
});
export type RaisedLimits = z.infer<typeof RaisedLimits>;

/** What a person says to the next pass, outside any question. */
export const Remark = z.object({ by: z.string(), comment: z.string(), text: ArtifactRef });
export type Remark = z.infer<typeof Remark>;

const at = { at: z.number() };
/** Of a person's message: its id makes it count once. */
const sent = { messageId: z.string(), by: z.string().optional() };
/** `switched`: how often the source was switched by then; an older switch that arrives late changes nothing. */
const switching = { source: z.string(), switched: z.number().int().optional() };
const onStep = { ...at, step: z.string(), pass: z.number().int() };
const onAttempt = { ...onStep, attempt: z.number().int() };
/** `step` is `@limits` where the question is about a limit of the run. */
const onTask = { ...onStep, task: z.string(), revision: z.number().int() };
const onChild = { ...onStep, index: z.number().int() };

/**
 * Everything that can happen to a run, in the order in which the law learned it. The events in the database are the
 * record: folding them with `apply` gives the state. `at` is epoch milliseconds. Names are `<noun>.<past>`.
 */
export const RunEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run.started'),
    ...at,
    runId: z.string(),
    parent: ParentRef.optional(),
    /** Sources that are switched off (E-19). */
    held: z.array(z.string()).optional(),
  }),
  /** E8: the events before this one are those of `from`, up to the pass that it names. */
  z.object({
    type: z.literal('run.forked'),
    ...at,
    runId: z.string(),
    from: z.object({ runId: z.string(), step: z.string(), pass: z.number().int() }),
    /** In place of the first run's. */
    name: z.string().optional(),
    by: z.string().optional(),
    /** Sources that are switched off (E-19). */
    held: z.array(z.string()).optional(),
  }),
  /** A seat took over: what the seat before it had in flight is lost or must be looked up (decision 13). */
  z.object({ type: z.literal('run.reseated'), ...at, seat: z.number().int() }),
  /** `reset`: finished steps that are done again, too. */
  z.object({ type: z.literal('run.retried'), ...at, ...sent, reset: z.array(z.string()).optional() }),
  z.object({
    type: z.literal('run.paused'),
    ...at,
    code: z.string(),
    reason: z.string(),
    remedy: z.string(),
    /** Of a person's pause. */
    messageId: z.string().optional(),
    by: z.string().optional(),
    /** The step whose loop is exhausted. */
    loop: z.string().optional(),
    /** C7: a person is asked. */
    ask: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('run.resumed'), ...at, ...sent, reason: z.string().optional() }),
  /** Counts at once; a pause whose cause it clears ends. `remark` is for the next pass of the exhausted step. */
  z.object({
    type: z.literal('run.raised'),
    ...at,
    ...sent,
    limits: RaisedLimits,
    remark: Remark.optional(),
  }),
  /** E3: a new plan revision, which counts from each step's next pass. */
  z.object({ type: z.literal('run.edited'), ...at, ...sent, revision: z.number().int(), plan: Plan }),
  /** E-19: a source of the run was switched off, or on again. */
  z.object({ type: z.literal('run.held'), ...at, messageId: z.string(), ...switching }),
  z.object({ type: z.literal('run.released'), ...at, messageId: z.string(), ...switching }),
  z.object({ type: z.literal('run.cancelling'), ...at, ...sent, reason: z.string() }),
  /** Work of ours or the limits ended the loop: nothing new starts; the run stops once all in flight has settled. */
  z.object({ type: z.literal('run.ending'), ...at, stop: Stop }),
  /** D-14: the end is known, as `stop` says, and nothing is alive; what comes now are the handlers of it. */
  z.object({ type: z.literal('handlers.started'), ...at, stop: Stop }),
  z.object({ type: z.literal('run.stopped'), ...at, stop: Stop, toParent: ToParent.optional() }),
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
    /** The run's folder of artifacts. */
    artifacts: z.string().optional(),
    notes: z.array(z.string()),
  }),
  /** F1: the next pass works in a worktree of its own; the one before is retired. `number` counts from 2. */
  z.object({ type: z.literal('lane.admitted'), ...at, number: z.number().int(), path: z.string() }),
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

  /** `check`: a review, which is asked by itself. */
  z.object({ type: z.literal('checks.started'), ...onStep, round: z.number().int(), check: z.string().optional() }),
  z.object({ type: z.literal('check.judged'), ...onStep, check: z.string(), verdict: Verdict }),
  z.object({
    type: z.literal('checks.finished'),
    ...onStep,
    fingerprint: z.string(),
    tree: z.string().optional(),
    spend: Spend.optional(),
  }),
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
  /** `by`: the step before it that was skipped and took it along (A8). */
  z.object({ type: z.literal('step.skipped'), ...onStep, reason: z.string(), by: z.string().optional() }),
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
    /** What the target is asked in place of its own prompt: a template (C6). */
    prompt: z.string().optional(),
    /** D3: a person sent it back; loops within the reset steps begin with fresh budgets (D-20). */
    pushBack: z.literal(true).optional(),
  }),
  /** A person sent back a finished step: it and everything after it begins its next pass. */
  z.object({
    type: z.literal('step.pushed_back'),
    ...onStep,
    ...sent,
    remark: Remark,
    reset: z.array(z.string()),
  }),
  /** A retry within the pass (A2): `kind` says whose budget pays. */
  z.object({
    type: z.literal('attempt.retried'),
    ...onAttempt,
    kind: z.enum(['retry', 'crash', 'quota', 'shutdown', 'wait']),
    reason: z.string(),
    notBefore: z.number().optional(),
  }),

  z.object({ type: z.literal('task.opening'), ...onTask }),
  z.object({ type: z.literal('task.opened'), ...onTask, ...Question.shape }),
  z.object({ type: z.literal('task.failed'), ...onTask, fault: FaultSeen }),
  z.object({
    type: z.literal('task.decided'),
    ...onTask,
    messageId: z.string(),
    decision: Decision,
    final: z.boolean(),
  }),
  z.object({ type: z.literal('task.reminded'), ...onTask, count: z.number().int() }),
  /** `to` is asked, too; empty when the plan names nobody. */
  z.object({ type: z.literal('task.escalated'), ...onTask, to: z.array(z.string()) }),
  /** D5: its time ran out. Not a rejection. */
  z.object({ type: z.literal('task.expired'), ...onTask }),
  /** It closed without a decision. */
  z.object({ type: z.literal('task.closed'), ...onTask, reason: z.string() }),

  z.object({ type: z.literal('list.expanding'), ...onStep }),
  /** What a call is made for: one child run each. Without a list, one that has no item. */
  z.object({ type: z.literal('call.begun'), ...onAttempt, items: z.array(z.string()) }),
  z.object({ type: z.literal('child.starting'), ...onChild }),
  z.object({ type: z.literal('child.started'), ...onChild, runId: z.string() }),
  z.object({ type: z.literal('call.failed'), ...onStep, fault: FaultSeen }),
  z.object({
    type: z.literal('child.settled'),
    ...onChild,
    messageId: z.string(),
    runId: z.string(),
    stop: StopKind,
    toParent: ToParent,
  }),
  /** A child that no longer counts is being cancelled; `child.told` once its cancellation is on its way for good. */
  z.object({ type: z.literal('child.cancelling'), ...onStep, runId: z.string() }),
  z.object({ type: z.literal('child.told'), ...onStep, runId: z.string() }),
  z.object({ type: z.literal('call.collecting'), ...onAttempt }),

  z.object({ type: z.literal('files.keeping'), ...at }),
  z.object({ type: z.literal('files.kept'), ...at, files: z.number().int() }),
  z.object({ type: z.literal('files.failed'), ...at, fault: FaultSeen }),

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
