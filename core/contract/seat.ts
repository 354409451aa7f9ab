import { z } from 'zod';

import { Plan } from '#core/plan/plan.ts';
import { ParentRef, RaisedLimits, Remark, ToParent } from '#core/run/event.ts';
import { StopKind } from '#core/run/stop.ts';
import { Decision } from '#core/task/question.ts';

/** `id` makes a message count once; `by` is the person who sent it. */
const sent = { id: z.string(), by: z.string().optional() };

/** `switched` counts the switches of the source: of two messages the later one counts, in whatever order they come. */
const switching = { source: z.string(), switched: z.number().int().optional() };

/** A message on its way to the workflow that judges it (decision 12). */
export const RunMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cancel'), ...sent, reason: z.string() }),
  /** E8. `from`: this step and everything after it are done again, too; `only`: this step is. */
  z.object({ kind: z.literal('retry'), ...sent, from: z.string().optional(), only: z.string().optional() }),
  z.object({ kind: z.literal('pause'), ...sent, reason: z.string().optional() }),
  z.object({ kind: z.literal('resume'), ...sent, reason: z.string().optional() }),
  /** Resumes, too, when what it raises is what the run is paused for. */
  z.object({ kind: z.literal('raise'), ...sent, limits: RaisedLimits }),
  z.object({ kind: z.literal('edit'), ...sent, plan: Plan }),
  /** Sends a finished step of a running run back, with a remark. */
  z.object({ kind: z.literal('pushBack'), ...sent, step: z.string(), remark: Remark }),
  z.object({
    kind: z.literal('decide'),
    ...sent,
    task: z.string(),
    revision: z.number().int(),
    decision: Decision,
  }),
  /** A source of the run was switched off, or on (E-19). */
  z.object({ kind: z.literal('hold'), ...sent, ...switching }),
  z.object({ kind: z.literal('release'), ...sent, ...switching }),
  /** From a child run that has ended. */
  z.object({
    kind: z.literal('childSettled'),
    ...sent,
    step: z.string(),
    pass: z.number().int(),
    index: z.number().int(),
    runId: z.string(),
    stop: StopKind,
    toParent: ToParent,
  }),
]);
export type RunMessage = z.infer<typeof RunMessage>;
export type RunMessageOf<K extends RunMessage['kind']> = Extract<RunMessage, { kind: K }>;

/** What the workflow answers to a message. A refusal names the remedy. */
export const MessageAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('applied') }),
  z.object({ kind: z.literal('refused'), code: z.string(), message: z.string() }),
]);
export type MessageAnswer = z.infer<typeof MessageAnswer>;

/**
 * What a seat starts from. `state` absent = a new run; else `fold(events)` of the record, with `seq` its last event.
 * `message` is the one that made the re-seat (retry of a closed run).
 */
export const SeatInput = z.object({
  runId: z.string(),
  seat: z.number().int().min(1),
  plan: Plan,
  inputs: z.record(z.string(), z.string()),
  resume: z
    .object({ state: z.unknown(), seq: z.number().int(), reason: z.enum(['retry', 'lost', 'continued', 'forked']) })
    .optional(),
  message: RunMessage.optional(),
  parent: ParentRef.optional(),
  /** Sources that were off when the run was started. */
  held: z.array(z.string()).optional(),
  /** Of its work among that of other runs: 1 is the most urgent, 5 the least; default 3. */
  priority: z.number().int().min(1).max(5).optional(),
  /** History length above which the seat rests and continues as new (decision 8); default 2,000. */
  continueAfterEvents: z.number().int().optional(),
});
export type SeatInput = z.infer<typeof SeatInput>;
