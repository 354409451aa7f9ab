import { z } from 'zod';

import { Condition } from '#core/check/condition.ts';
import {
  ContinueOn,
  DeliveryPlan,
  InputPlan,
  LoopPrompts,
  OnExhausted,
  OutputPlan,
  RepeatAction,
  Shown,
  Triggers,
} from '#core/plan/plan.ts';

/**
 * What a person wrote, in the one long form that every dialect produces: durations in seconds, money in USD, names as
 * written. All that has a default may be absent; `compile` fills it and checks what the parts say together.
 */

export const AgentDefinition = z.strictObject({
  name: z.string(),
  model: z.string().optional(),
  effort: z.string().optional(),
  args: z.array(z.string()).optional(),
  session: z.enum(['fresh', 'resume']).optional(),
  fallback: z.array(z.string()).optional(),
  /** H2: absent = the default; `null` = no such limit. */
  quietSeconds: z.number().positive().nullable().optional(),
  /** Only for `custom`. */
  custom: z
    .strictObject({
      command: z.array(z.string()).min(1),
      prompt: z.enum(['stdin', 'argument', 'file']).optional(),
      output: z.enum(['text', 'json']).optional(),
    })
    .optional(),
  /** Only for `scripted`. */
  scripted: z.strictObject({ passes: z.array(z.string()).min(1) }).optional(),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

const checkCommon = {
  name: z.string().optional(),
  needs: z.enum(['always', 'passed']).optional(),
  timeSeconds: z.number().positive().optional(),
};

export const CheckDefinition = z.discriminatedUnion('kind', [
  z.strictObject({
    ...checkCommon,
    kind: z.literal('command'),
    command: z.string(),
    expectExit: z.number().int().min(0).max(255).optional(),
    where: z.enum(['workspace', 'commit']).optional(),
    /** Only with `where: commit`. */
    provide: z.array(z.string()).optional(),
    /** B9: at least so many tests must have run. */
    evidence: z.strictObject({ tests: z.number().int().min(1), file: z.string().optional() }).optional(),
  }),
  /** `of`: a step's id; absent = the step that the check belongs to. */
  z.strictObject({
    ...checkCommon,
    kind: z.literal('match'),
    of: z.string().optional(),
    pass: z.string().optional(),
    fail: z.string().optional(),
  }),
  z.strictObject({
    ...checkCommon,
    kind: z.literal('schema'),
    of: z.string().optional(),
    schema: z.union([
      z.strictObject({ inline: z.record(z.string(), z.unknown()) }),
      z.strictObject({ file: z.string() }),
    ]),
  }),
  /** B5: `needs` is `passed` by default; under mode `any`, `always`. */
  z.strictObject({
    ...checkCommon,
    kind: z.literal('review'),
    /** Default `auto`. */
    agent: AgentDefinition.optional(),
    criterion: z.string(),
    /** B6: default 1. */
    consecutive: z.number().int().min(1).optional(),
  }),
  z.strictObject({
    ...checkCommon,
    kind: z.literal('report'),
    file: z.string().optional(),
    wants: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('artifact'), path: z.string() }),
      z.strictObject({ kind: z.literal('worklist') }),
    ]),
  }),
]);
export type CheckDefinition = z.infer<typeof CheckDefinition>;

export const LoopDefinition = z.strictObject({
  /** Absent = the step itself. */
  to: z.string().optional(),
  /** Default `fail`; with `repeat`, `always`. */
  on: z.enum(['fail', 'pass', 'always']).optional(),
  /** How often it may fire; `null` is unlimited; absent = `limits.passes` less one. */
  limit: z.number().int().min(0).nullable().optional(),
  wait: z
    .strictObject({
      everySeconds: z.number().min(0).optional(),
      backoff: z.number().min(1).optional(),
      maxSeconds: z.number().min(0).optional(),
    })
    .optional(),
  repeat: z
    .strictObject({
      mode: z.enum(['while', 'until']),
      condition: Condition.optional(),
      exitCodes: z.array(z.number().int().min(0).max(255)).min(1).optional(),
      onError: z.enum(['pause', 'fail', 'unmet']).optional(),
      met: RepeatAction.optional(),
      unmet: RepeatAction.optional(),
    })
    .optional(),
  onExhausted: OnExhausted.optional(),
  onExhaustedMet: OnExhausted.optional(),
  limitJudges: z.boolean().optional(),
  inFlight: z.enum(['cancel', 'keep']).optional(),
  prompts: LoopPrompts.optional(),
  /** The dialect allows a target that is not upstream: compile warns in place of refusing (V-27). */
  anyTarget: z.boolean().optional(),
});
export type LoopDefinition = z.infer<typeof LoopDefinition>;

/** A question to people (D1–D6); its way back is the step's `loop`. */
const PersonDefinition = z.strictObject({
  kind: z.literal('person'),
  ask: z.string(),
  show: z.array(Shown).optional(),
  /** A whole JSON Schema. */
  form: z.record(z.string(), z.unknown()).optional(),
  pushBackForm: z.record(z.string(), z.unknown()).optional(),
  /** Absent or empty = everyone who may use the project. */
  who: z.array(z.string()).optional(),
  /** Default 1. */
  quorum: z.number().int().min(1).optional(),
  notAuthor: z.boolean().optional(),
  remindSeconds: z.number().positive().optional(),
  escalate: z.strictObject({ to: z.array(z.string()), afterSeconds: z.number().positive().optional() }).optional(),
  /** `onExpiry` is `fail` by default. */
  time: z
    .strictObject({
      limitSeconds: z.number().positive(),
      onExpiry: z.enum(['fail', 'skip', 'escalate']).optional(),
    })
    .optional(),
  /** `null` = the person is the limit (D3); absent = the loop's own limit, where one is written. */
  pushBackLimit: z.number().int().min(0).nullable().optional(),
});
export type PersonDefinition = z.infer<typeof PersonDefinition>;

/** A child run, or one for each item of a list. */
const CallDefinition = z.strictObject({
  kind: z.literal('call'),
  /** Key of `children`, of this definition or of one around it, or the name of a stored definition. */
  definition: z.string(),
  /** Templates by the child's input. */
  inputs: z.record(z.string(), z.string()).optional(),
  /** `max` child runs at a time, default 3. */
  each: z
    .strictObject({
      list: z.string(),
      split: z.enum(['lines', 'words']).optional(),
      max: z.number().int().min(1).optional(),
    })
    .optional(),
});
export type CallDefinition = z.infer<typeof CallDefinition>;

export const StepDefinition = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  after: z.array(z.string()),
  work: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('agent'), agent: AgentDefinition, prompt: z.string() }),
    z.strictObject({ kind: z.literal('run'), command: z.string() }),
    PersonDefinition,
    CallDefinition,
  ]),
  readOnly: z.boolean().optional(),
  when: z
    .strictObject({
      condition: Condition,
      and: z.array(Condition).optional(),
      onUnmet: z.enum(['skip', 'stop', 'cancel']).optional(),
      onError: z.enum(['pause', 'fail']).optional(),
    })
    .optional(),
  match: z.strictObject({ pass: z.string().optional(), fail: z.string().optional() }).optional(),
  checks: z.array(CheckDefinition),
  mode: z.enum(['all', 'any']).optional(),
  retry: z
    .strictObject({
      on: z
        .union([z.enum(['infrastructure', 'notVerdict', 'failure']), z.array(z.number().int().min(0).max(255)).min(1)])
        .optional(),
      limit: z.number().int().min(0).optional(),
      everySeconds: z.number().min(0).optional(),
      backoff: z.number().min(1).optional(),
      maxSeconds: z.number().min(0).optional(),
    })
    .optional(),
  loop: LoopDefinition.optional(),
  timeSeconds: z.number().positive().optional(),
  continueOnError: z.boolean().optional(),
  continueOn: ContinueOn.optional(),
  skipsDependents: z.boolean().optional(),
  env: z.record(z.string(), z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  directory: z.string().optional(),
  output: OutputPlan.optional(),
  outputs: z.record(z.string(), z.string()).optional(),
});
export type StepDefinition = z.infer<typeof StepDefinition>;

const LimitsDefinition = z.strictObject({
  /** Passes of each loop that has no limit of its own. */
  passes: z.number().int().min(1).optional(),
  /** `null` = no limit; absent = the default. */
  timeSeconds: z.number().positive().nullable().optional(),
  deadlineSeconds: z.number().positive().optional(),
  spendUsd: z.number().positive().optional(),
  noProgress: z.number().int().min(0).optional(),
  feedbackChars: z.number().int().min(1).optional(),
});

export const WorkspaceDefinition = z.strictObject({
  repo: z.string().optional(),
  base: z.string().optional(),
  worktree: z.boolean().optional(),
  protect: z.array(z.string()).optional(),
  keep: z.array(z.string()).optional(),
  setup: z.string().optional(),
  lane: z.enum(['run', 'pass']).optional(),
  envFiles: z.array(z.string()).optional(),
  afterwards: z.enum(['keep', 'remove']).optional(),
});
export type WorkspaceDefinition = z.infer<typeof WorkspaceDefinition>;

/** `after` and `loop` mean nothing here, and compile refuses them. */
export const HandlersDefinition = z.strictObject({
  success: StepDefinition.optional(),
  failure: StepDefinition.optional(),
  cancel: StepDefinition.optional(),
  exit: StepDefinition.optional(),
});
export type HandlersDefinition = z.infer<typeof HandlersDefinition>;

const definitionShape = z.strictObject({
  name: z.string().optional(),
  project: z.string().optional(),
  labels: z.array(z.string()).optional(),
  inputs: z.record(z.string(), InputPlan).optional(),
  /** In the order in which they are written. */
  steps: z.array(StepDefinition).min(1),
  limits: LimitsDefinition.optional(),
  onExhausted: OnExhausted.optional(),
  workspace: WorkspaceDefinition.optional(),
  baseline: z.enum(['report', 'newFailuresOnly', 'mustPass', 'off']).optional(),
  deliver: DeliveryPlan.partial().optional(),
  /** Step ids by the name under which a parent run reads their output. */
  outputs: z.record(z.string(), z.string()).optional(),
  /** D-23: globs. */
  keepBetweenRuns: z.array(z.string()).optional(),
  callback: z.strictObject({ url: z.string(), secret: z.string().optional() }).optional(),
  handlers: HandlersDefinition.optional(),
  artifacts: z.boolean().optional(),
  on: Triggers.optional(),
});

/** `children` are the definitions written inside it, by the name under which they, and it, call them. */
export type Definition = z.infer<typeof definitionShape> & { children?: Record<string, Definition> | undefined };

export const Definition: z.ZodType<Definition> = definitionShape.extend({
  children: z
    .record(
      z.string(),
      z.lazy(() => Definition),
    )
    .optional(),
});
