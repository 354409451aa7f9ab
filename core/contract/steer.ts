import { z } from 'zod';

import { StartRun } from '#core/contract/http.ts';
import { GivenId, StorableText } from '#core/contract/library.ts';
import { amountUsd, durationSeconds } from '#core/plan/amounts.ts';
import { RaisedLimits } from '#core/run/event.ts';

/** Shapes of the calls that steer a run (docs/guide/steering.md). Of the same message id only the first call counts. */
const sent = { messageId: GivenId.optional() };
const StepId = StorableText.min(1).max(200);
const reason = StorableText.max(2_000).optional();

/** `POST /v1/runs/{id}/pause|resume|cancel`. */
export const Steer = z.strictObject({ reason, ...sent });
export type Steer = z.infer<typeof Steer>;

const Duration = z
  .string()
  .refine((text) => (durationSeconds(text) ?? 0) > 0, 'must be a time such as `90s`, `15m`, `2h` or `3d`');
const Money = z.string().refine((text) => amountUsd(text) !== undefined, 'must be an amount such as `5 USD`');

/**
 * `POST /v1/runs/{id}/raise`: at least one limit, in numbers or as a definition writes it (`time: 2h`, `spend: 5 USD`).
 * `passes` is how often the work of a loop may be done in all; `step` names whose loop, if not every one.
 */
export const RaiseRun = z.strictObject({
  passes: RaisedLimits.shape.passes,
  step: StepId.optional(),
  timeSeconds: RaisedLimits.shape.timeSeconds,
  time: Duration.optional(),
  deadlineSeconds: RaisedLimits.shape.deadlineSeconds,
  deadline: Duration.optional(),
  spendUsd: RaisedLimits.shape.spendUsd,
  spend: Money.optional(),
  ...sent,
});
export type RaiseRun = z.infer<typeof RaiseRun>;

/** `POST /v1/runs/{id}/edit`: exactly one of `source` (the text of a file) and `definition` (an object). */
export const EditRun = z.strictObject({
  ...StartRun.pick({ source: true, definition: true, file: true, dialect: true }).shape,
  ...sent,
});
export type EditRun = z.infer<typeof EditRun>;

/** `POST /v1/runs/{id}/retry`: `from` a step with everything after it, or `only` the one step. */
export const RetryRun = z.strictObject({ from: StepId.optional(), only: StepId.optional(), ...sent });
export type RetryRun = z.infer<typeof RetryRun>;

/** `POST /v1/runs/{id}/push-back`: a finished step is sent back with a remark. */
export const PushBackRun = z.strictObject({ step: StepId, message: StorableText.min(1).max(64 * 1024), ...sent });
export type PushBackRun = z.infer<typeof PushBackRun>;

/** `POST /v1/runs/{id}/fork`: a new run goes on after that pass of the step. `name` in place of the run's own. */
export const ForkRun = z.strictObject({
  step: StepId,
  pass: z.number().int().min(1),
  name: StorableText.min(1).max(200).optional(),
  ...sent,
});
export type ForkRun = z.infer<typeof ForkRun>;

/** What a plan was compiled from: the text, and what was said over it. */
export const RunDefinition = StartRun.pick({
  file: true,
  dialect: true,
  overrides: true,
  project: true,
  labels: true,
}).extend({ source: z.string() });
export type RunDefinition = z.infer<typeof RunDefinition>;

/** `GET /v1/runs/{id}/definition`: the text that the run's plan comes from, with the edits that were made. */
export const RunDefinitionShown = RunDefinition.pick({ source: true, file: true, dialect: true });
export type RunDefinitionShown = z.infer<typeof RunDefinitionShown>;
