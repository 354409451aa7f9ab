import { z } from 'zod';

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
]);
export type CheckPlan = z.infer<typeof CheckPlan>;
