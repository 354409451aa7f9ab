import { z } from 'zod';

/** The three parts of a closed loop. */
export const LoopPart = z.enum(['signal', 'route', 'limit']);
export type LoopPart = z.infer<typeof LoopPart>;

/**
 * A mend that changes nothing but what the finding is about. `path` is one of the long form; whoever applies it finds
 * the text in the document (`DialectRead.pathInDocument`).
 */
export const Fix = z.discriminatedUnion('kind', [
  /** Within the text at `path`: `find` stands in it exactly once. */
  z.object({ kind: z.literal('replace'), path: z.string(), find: z.string(), replace: z.string() }),
  /** Entries for the list at `path`, which may not be there yet. */
  z.object({ kind: z.literal('add'), path: z.string(), values: z.array(z.string()).min(1) }),
  /** The check at `path` is written as a command and the exit code that it expects. */
  z.object({ kind: z.literal('expectExit'), path: z.string(), command: z.string(), exit: z.number().int() }),
]);
export type Fix = z.infer<typeof Fix>;

/** One thing that the doctor says about a plan or a run. It advises: nothing is refused for it. */
export const Finding = z.object({
  /** `<area>/<kebab>`, explained in docs/guide/doctor.md. */
  rule: z.string(),
  severity: z.enum(['warning', 'note']),
  /** Dotted path of the long form, such as `steps.test.run`; with `line` and `column`, of the document. */
  path: z.string(),
  /** The step whose loop it is about. */
  loop: z.string().optional(),
  /** What the loop lacks to be closed; absent = it is closed, and could be better. */
  missing: LoopPart.optional(),
  message: z.string(),
  why: z.string(),
  /** How it is closed, with the key to write. */
  remedy: z.string(),
  fix: Fix.optional(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
});
export type Finding = z.infer<typeof Finding>;

/** A question of D-21 about one loop; `good` = the answer is the one that a closed loop gives. */
export const LoopAnswer = z.object({ question: z.string(), answer: z.string(), good: z.boolean() });
export type LoopAnswer = z.infer<typeof LoopAnswer>;

/** D-21: what the three questions come to for the loop of a step. */
export const LoopAnswers = z.object({
  loop: z.string(),
  path: z.string(),
  /** Could the agent change the check's answer? */
  signal: LoopAnswer,
  /** What does the next attempt know that this one did not? */
  route: LoopAnswer,
  /** What happens when the attempts run out? */
  limit: LoopAnswer,
  closed: z.boolean(),
});
export type LoopAnswers = z.infer<typeof LoopAnswers>;

export const Examination = z.object({ findings: z.array(Finding), loops: z.array(LoopAnswers) });
export type Examination = z.infer<typeof Examination>;
