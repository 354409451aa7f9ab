import { z } from 'zod';

import { Plan } from '#core/plan/plan.ts';

/** A message on its way to the workflow that judges it (decision 12). `id` makes it count once. */
export const RunMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cancel'), id: z.string(), reason: z.string() }),
  z.object({ kind: z.literal('retry'), id: z.string() }),
]);
export type RunMessage = z.infer<typeof RunMessage>;

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
    .object({ state: z.unknown(), seq: z.number().int(), reason: z.enum(['retry', 'lost', 'continued']) })
    .optional(),
  message: RunMessage.optional(),
  /** History length above which the seat rests and continues as new (decision 8); default 2,000. */
  continueAfterEvents: z.number().int().optional(),
});
export type SeatInput = z.infer<typeof SeatInput>;
