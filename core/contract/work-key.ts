import { z } from 'zod';

/**
 * Names one attempt for ever (decision 4): what is stored under it is never paid, pushed or written twice.
 * `pass` and `attempt` count from 1.
 */
export const WorkKey = z.object({
  runId: z.string(),
  step: z.string(),
  pass: z.number().int(),
  attempt: z.number().int(),
});
export type WorkKey = z.infer<typeof WorkKey>;

/** The key as one word: `run_01…/implement#2.1`. */
export function workKeyText(key: WorkKey): string {
  return `${key.runId}/${key.step}#${key.pass}.${key.attempt}`;
}
