import { z } from 'zod';

import { AgentPlan } from '#core/agent/agent-plan.ts';

const common = {
  name: z.string(),
  /** `passed`: asked only when every check before it passed (B2). */
  needs: z.enum(['always', 'passed']),
  /** The check's own limit (B8): default 10 minutes, at most 30. */
  timeSeconds: z.number().positive(),
};

/** One signal on a result, as the law and the host read it. */
export const CheckPlan = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('command'),
    command: z.string(),
    expectExit: z.number().int().min(0).max(255),
    where: z.enum(['workspace', 'commit']),
    /** B3: ignored paths of the workspace that a clean checkout gets, too, read-only. */
    provide: z.array(z.string()).optional(),
    /** B9: without so many tests that ran, told by the report `file` that the command writes or by its output, it is `missing`. */
    evidence: z.object({ tests: z.number().int().min(1), file: z.string().optional() }).optional(),
  }),
  z.object({
    ...common,
    kind: z.literal('match'),
    /** Whose output: a step's id. */
    of: z.string(),
    pass: z.string().optional(),
    fail: z.string().optional(),
  }),
  z.object({
    ...common,
    kind: z.literal('schema'),
    of: z.string(),
    /** A JSON Schema, inline. `file` is read from the workspace at the base commit when the check is judged. */
    schema: z.union([z.object({ inline: z.record(z.string(), z.unknown()) }), z.object({ file: z.string() })]),
  }),
  /** Another session than the implementer's reads the work and judges it by a criterion (B5). */
  z.object({
    ...common,
    kind: z.literal('review'),
    agent: AgentPlan,
    /** A template. */
    criterion: z.string(),
    /** B6: how many judged passes in a row it takes. */
    consecutive: z.number().int().min(1),
  }),
  /** The agent's own word in a file of the workspace (B7): only what it wrote in this pass counts. */
  z.object({
    ...common,
    kind: z.literal('report'),
    /** Path of the report; it is taken out of the workspace before the snapshot. */
    file: z.string(),
    wants: z.discriminatedUnion('kind', [
      /** The report lists `path` as made, and the work holds it. */
      z.object({ kind: z.literal('artifact'), path: z.string() }),
      /** The report holds a worklist with nothing open; what is open is carried into the next brief. */
      z.object({ kind: z.literal('worklist') }),
    ]),
  }),
]);
export type CheckPlan = z.infer<typeof CheckPlan>;
/** What the host judges together, without asking anybody. */
export type HardCheck = Exclude<CheckPlan, { kind: 'review' }>;
export type CheckPlanOf<K extends CheckPlan['kind']> = Extract<CheckPlan, { kind: K }>;
