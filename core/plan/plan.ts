import { z } from 'zod';

import { CheckPlan } from '#core/check/check-plan.ts';
import { Condition } from '#core/check/condition.ts';

/**
 * The compiled, normalised, frozen form of a Definition: every default filled, every name resolved.
 * The law (`next`, `apply`) reads nothing else. Made only by `compile`.
 */

/** What running out of a limit leads to (C7). */
export const OnExhausted = z.enum(['fail', 'ask', 'pause', 'succeed']);
export type OnExhausted = z.infer<typeof OnExhausted>;

/** Which agent works and how. `name: auto` is resolved by the host to the first one installed and signed in. */
export const AgentPlan = z.object({
  name: z.string(),
  model: z.string().optional(),
  effort: z.string().optional(),
  session: z.enum(['fresh', 'resume']),
  fallback: z.array(z.string()),
  custom: z
    .object({
      command: z.array(z.string()).min(1),
      prompt: z.enum(['stdin', 'argument', 'file']),
      output: z.enum(['text', 'json']),
    })
    .optional(),
  scripted: z.object({ passes: z.array(z.string()).min(1) }).optional(),
});
export type AgentPlan = z.infer<typeof AgentPlan>;

/** What a step does. Prompts and commands are templates, rendered on the host (A11). */
export const Work = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('agent'), agent: AgentPlan, prompt: z.string() }),
  z.object({ kind: z.literal('run'), command: z.string() }),
]);
export type Work = z.infer<typeof Work>;

/** Patterns on the output of an attempt that exited 0 (A6). */
export const MatchPlan = z.object({ pass: z.string().optional(), fail: z.string().optional() });
export type MatchPlan = z.infer<typeof MatchPlan>;

/** Repeats an attempt within a pass (A2). A verdict is never retried; a time-out only by `notVerdict`. */
export const RetryPlan = z.object({
  on: z.union([z.enum(['infrastructure', 'notVerdict']), z.array(z.number().int())]),
  limit: z.number().int().min(0),
  everySeconds: z.number().min(0),
  backoff: z.number().min(1),
});
export type RetryPlan = z.infer<typeof RetryPlan>;

/**
 * The one looping construct (C1–C5). `limit` counts how often the loop may fire, so a step runs at most `limit + 1`
 * passes by its own loop; `null` is unlimited and needs a time or spend limit. `repeat` conditions decide after each
 * pass whether to fire; without one, `on` alone decides.
 */
export const LoopPlan = z.object({
  to: z.string(),
  on: z.enum(['fail', 'pass', 'always']),
  limit: z.number().int().min(0).nullable(),
  wait: z.object({
    everySeconds: z.number().min(0),
    backoff: z.number().min(1),
    maxSeconds: z.number().min(0).optional(),
  }),
  repeat: z
    .object({ mode: z.enum(['while', 'until']), condition: Condition, onError: z.enum(['pause', 'fail']) })
    .optional(),
  onExhausted: OnExhausted,
  inFlight: z.enum(['cancel', 'keep']),
});
export type LoopPlan = z.infer<typeof LoopPlan>;

/** A condition before a step (A8). Unmet: `skip` skips the step, `stop` ends the run as failed. */
export const WhenPlan = z.object({
  condition: Condition,
  onUnmet: z.enum(['skip', 'stop']),
  onError: z.enum(['pause', 'fail']),
});
export type WhenPlan = z.infer<typeof WhenPlan>;

export const StepPlan = z.object({
  id: z.string(),
  name: z.string(),
  after: z.array(z.string()),
  when: WhenPlan.optional(),
  work: Work,
  /** Reads only: works on its own checkout of the pinned snapshot and is no writer (decision 14, H3). */
  readOnly: z.boolean(),
  match: MatchPlan.optional(),
  checks: z.array(CheckPlan),
  mode: z.enum(['all', 'any']),
  retry: RetryPlan,
  loop: LoopPlan.optional(),
  /** Limit of one attempt. */
  timeSeconds: z.number().positive(),
  continueOnError: z.boolean(),
  env: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
});
export type StepPlan = z.infer<typeof StepPlan>;

export const LimitsPlan = z.object({
  /** Active work only (E10). */
  timeSeconds: z.number().positive().optional(),
  /** Everything, waits included (E10). */
  deadlineSeconds: z.number().positive().optional(),
  spendUsd: z.number().positive().optional(),
  /** How many repeats of a pass without progress stop the run (C8); 0 switches it off. */
  noProgress: z.number().int().min(0),
  onTime: OnExhausted,
  onSpend: OnExhausted,
});
export type LimitsPlan = z.infer<typeof LimitsPlan>;

export const WorkspacePlan = z.object({
  /** A path on the host, or a clone address. */
  repo: z.string(),
  /** Branch, tag or commit; absent = HEAD of the repository. */
  base: z.string().optional(),
  /** false = work in the given checkout itself: no snapshot, no roll-back, no delivery (F4). */
  worktree: z.boolean(),
  protect: z.array(z.string()),
  keep: z.array(z.string()),
  setup: z.string().optional(),
  lane: z.enum(['run', 'pass']),
});
export type WorkspacePlan = z.infer<typeof WorkspacePlan>;

export const DeliveryPlan = z.object({
  mode: z.enum(['none', 'commit', 'branch', 'pr', 'merge']),
  branch: z.string().optional(),
  title: z.string().optional(),
  body: z.string().optional(),
});
export type DeliveryPlan = z.infer<typeof DeliveryPlan>;

export const InputPlan = z.object({
  type: z.enum(['string', 'number', 'boolean']),
  required: z.boolean(),
  default: z.string().optional(),
});
export type InputPlan = z.infer<typeof InputPlan>;

export const Plan = z.object({
  semantics: z.literal(1),
  name: z.string(),
  project: z.string(),
  labels: z.array(z.string()),
  inputs: z.record(z.string(), InputPlan),
  /** In plan order: writers are served in this order (decision 14). Every `after` names a step of this list. */
  steps: z.array(StepPlan).min(1),
  limits: LimitsPlan,
  workspace: WorkspacePlan,
  /** B11: `report` runs the hard checks once on the base and tells the first attempt what fails. */
  baseline: z.enum(['report', 'newFailuresOnly', 'mustPass', 'off']),
  deliver: DeliveryPlan,
});
export type Plan = z.infer<typeof Plan>;
