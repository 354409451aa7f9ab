import { z } from 'zod';

import { AgentPlan } from '#core/agent/agent-plan.ts';
import { CheckPlan } from '#core/check/check-plan.ts';
import { Condition } from '#core/check/condition.ts';

/**
 * The compiled, normalised, frozen form of a Definition: every default filled, every name resolved.
 * The law (`next`, `apply`) reads nothing else. Made only by `compile`.
 */

/** What running out of a limit leads to (C7). */
export const OnExhausted = z.enum(['fail', 'ask', 'pause', 'succeed']);
export type OnExhausted = z.infer<typeof OnExhausted>;

/** What a question shows beside its text, frozen when it opens (D1). */
export const Shown = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('output'), step: z.string() }),
  z.object({ kind: z.literal('file'), path: z.string() }),
  /** A file of the run's folder of artifacts. */
  z.object({ kind: z.literal('artifact'), path: z.string() }),
]);
export type Shown = z.infer<typeof Shown>;

/** A question to people (D1–D6). */
export const PersonPlan = z.object({
  kind: z.literal('person'),
  /** A template. */
  ask: z.string(),
  show: z.array(Shown),
  /** JSON Schema of what is sent with a decision; validated before the decision is stored. */
  form: z.record(z.string(), z.unknown()).optional(),
  /** As `form`, of a push back (D-10); absent = `form` is asked of every decision that may carry one. */
  pushBackForm: z.record(z.string(), z.unknown()).optional(),
  /** Who may decide: `team:web` or a person's name; empty = everyone who may use the project. */
  who: z.array(z.string()),
  /** How many different people must approve. One rejection or push back decides. */
  quorum: z.number().int().min(1),
  /** Whoever started the run may not decide. */
  notAuthor: z.boolean(),
  /** A reminder is sent each time so long has passed. */
  remindSeconds: z.number().positive().optional(),
  /** Who is asked, too, once `afterSeconds` have passed, or when `time.onExpiry` is `escalate`. */
  escalate: z.object({ to: z.array(z.string()), afterSeconds: z.number().positive().optional() }).optional(),
  /** D5: what expiry leads to; it is never a rejection. `escalate` leaves the question open. */
  time: z.object({ limitSeconds: z.number().positive(), onExpiry: z.enum(['fail', 'skip', 'escalate']) }).optional(),
  /** C1, D3: `null` = the person is the limit. */
  pushBackLimit: z.number().int().min(0).nullable(),
});
export type PersonPlan = z.infer<typeof PersonPlan>;

/** A child run of a plan in `Plan.children`, or one for each item of a list. */
export const CallPlan = z.object({
  kind: z.literal('call'),
  /** Key of `Plan.children`. */
  definition: z.string(),
  /** Templates by the child's input. `{{item}}`, `{{item.field}}` and `{{index}}` are the list's. */
  inputs: z.record(z.string(), z.string()),
  /** `list` is a template that gives a JSON array, or lines (`split` absent) or words; at most `max` child runs at a time. */
  each: z
    .object({ list: z.string(), split: z.enum(['lines', 'words']).optional(), max: z.number().int().min(1) })
    .optional(),
});
export type CallPlan = z.infer<typeof CallPlan>;

/** What a step does. Prompts and commands are templates, rendered on the host (A11). */
export const Work = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('agent'), agent: AgentPlan, prompt: z.string() }),
  z.object({ kind: z.literal('run'), command: z.string() }),
  PersonPlan,
  CallPlan,
]);
export type Work = z.infer<typeof Work>;

/** Patterns on the output of an attempt that exited 0 (A6). */
export const MatchPlan = z.object({ pass: z.string().optional(), fail: z.string().optional() });
export type MatchPlan = z.infer<typeof MatchPlan>;

/**
 * Repeats an attempt within a pass (A2). A verdict is never retried; a time-out only by `notVerdict`. `failure`: any exit
 * but 0 and any crash, no time-out (D-13).
 */
export const RetryPlan = z.object({
  on: z.union([z.enum(['infrastructure', 'notVerdict', 'failure']), z.array(z.number().int())]),
  limit: z.number().int().min(0),
  everySeconds: z.number().min(0),
  backoff: z.number().min(1),
  maxSeconds: z.number().min(0).optional(),
});
export type RetryPlan = z.infer<typeof RetryPlan>;

/** Templates. */
export const LoopPrompts = z.object({ fail: z.string().optional(), pass: z.string().optional() });
export type LoopPrompts = z.infer<typeof LoopPrompts>;

/** What a judged condition leads to: the step ends, another pass, or the run stops as failed (C-04). */
export const RepeatAction = z.enum(['continue', 'again', 'stop']);
export type RepeatAction = z.infer<typeof RepeatAction>;

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
  /**
   * Judged by exactly one of a command and the exit code of the attempt (D-03). `onError: unmet` takes a condition that
   * could not be judged for an unmet one (C-13). `met` and `unmet` stand in place of what `mode` says (C-04).
   */
  repeat: z
    .object({
      mode: z.enum(['while', 'until']),
      condition: Condition.optional(),
      /** Met when the attempt exited with one of these. */
      exitCodes: z.array(z.number().int()).optional(),
      onError: z.enum(['pause', 'fail', 'unmet']),
      met: RepeatAction.optional(),
      unmet: RepeatAction.optional(),
    })
    .optional(),
  onExhausted: OnExhausted,
  /** What running out leads to while the condition is met (C-08); absent = `onExhausted`. */
  onExhaustedMet: OnExhausted.optional(),
  /** `false`: running out ends the step as its last attempt ended, whatever `onExhausted` says (D-04). */
  limitJudges: z.boolean().optional(),
  inFlight: z.enum(['cancel', 'keep']),
  /** What the target is asked in the next pass, in place of its own prompt: after a failure, after a pass (C6). */
  prompts: LoopPrompts.optional(),
});
export type LoopPlan = z.infer<typeof LoopPlan>;

/** A condition before a step (A8). Unmet: `skip` skips the step, `stop` ends the run as failed, `cancel` as cancelled. */
export const WhenPlan = z.object({
  condition: Condition,
  /** Judged in order after it; the first that is not met decides. */
  and: z.array(Condition).optional(),
  onUnmet: z.enum(['skip', 'stop', 'cancel']),
  onError: z.enum(['pause', 'fail']),
  /** Asked once before a step that repeats itself. Absent = before each pass: so it is in plans of older builds. */
  once: z.literal(true).optional(),
});
export type WhenPlan = z.infer<typeof WhenPlan>;

/**
 * Whose words a step's output is (A5), and the files of the run's folder of artifacts that each attempt writes anew
 * (D-07). `stdout` is trimmed at its end.
 */
export const OutputPlan = z.object({
  of: z.enum(['all', 'stdout']),
  artifact: z.string().optional(),
  errorsArtifact: z.string().optional(),
});
export type OutputPlan = z.infer<typeof OutputPlan>;

/** Which failures of a step let the run go on (D-14), beside `continueOnError` for all. */
export const ContinueOn = z.object({
  exitCodes: z.array(z.number().int()).optional(),
  /** Patterns (A6) on the step's output. */
  matches: z.array(z.string()).optional(),
  /** The patterns match letters in their own case only. */
  caseSensitive: z.boolean().optional(),
  /** A step whose failure is let go counts as succeeded. */
  markSuccess: z.boolean().optional(),
});
export type ContinueOn = z.infer<typeof ContinueOn>;

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
  continueOn: ContinueOn.optional(),
  /** Steps after it are skipped when it was (A8). */
  skipsDependents: z.boolean().optional(),
  /** Templates. */
  env: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
  /** Where its processes and its conditions start: a folder of the workspace; absent = its root. */
  directory: z.string().optional(),
  output: OutputPlan.optional(),
  /** Values of its output, read as JSON: a path such as `result.items.0` by name. A person's are those of the form. */
  outputs: z.record(z.string(), z.string()).optional(),
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
  /** C9: how much of a finding reaches the next attempt; absent = 12,000. */
  feedbackChars: z.number().int().min(1).optional(),
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
  /** Files of `NAME=value` lines in the workspace, read before each attempt and condition; a missing one is none. */
  envFiles: z.array(z.string()).optional(),
  /** What becomes of the worktree once the run has ended; absent = `keep`. Work that no snapshot holds is always kept. */
  afterwards: z.enum(['keep', 'remove']).optional(),
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

/**
 * Steps that run once the run's end is known: after its success, its failure, its cancelling, and at last after each of
 * them (D-14). They have no `after` and no loop; one that fails makes a success a failure.
 */
export const Handlers = z.object({
  success: StepPlan.optional(),
  failure: StepPlan.optional(),
  cancel: StepPlan.optional(),
  exit: StepPlan.optional(),
});
export type Handlers = z.infer<typeof Handlers>;

/** What starts a run by itself. It is kept with the plan; a scheduler acts on it, not the run. */
export const Triggers = z.object({
  schedule: z
    .object({
      cron: z.array(z.string()).min(1),
      /** IANA name; absent = UTC. */
      zone: z.string().optional(),
      overlap: z.enum(['skip', 'queue', 'allow']).optional(),
    })
    .optional(),
});
export type Triggers = z.infer<typeof Triggers>;

const planShape = z.object({
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
  /** What a parent run reads of this one, by name: the output of a step of it. */
  outputs: z.record(z.string(), z.string()).optional(),
  /** D-23: files of the workspace (globs) that the next run of the same project and name begins with. */
  keepBetweenRuns: z.array(z.string()).optional(),
  /** Told when the run has ended. `secret` signs it: a reference `env:NAME` or `secret:NAME`, never the value. */
  callback: z.object({ url: z.string(), secret: z.string().optional() }).optional(),
  handlers: Handlers.optional(),
  /** The run has a folder beside its workspace, for what passes between its steps and is never delivered (D-06). */
  artifacts: z.boolean().optional(),
  on: Triggers.optional(),
});

/** Its calls' plans are frozen in it, so that a definition that changes later changes no run that has begun. */
export type Plan = z.infer<typeof planShape> & { children?: Record<string, Plan> | undefined };

export const Plan: z.ZodType<Plan> = planShape.extend({
  // Described by its name in the document of the API: written out, it would have no end.
  children: z
    .record(z.string(), z.lazy(() => Plan).meta({ type: 'object', $ref: '#/components/schemas/Plan' }))
    .optional(),
});
