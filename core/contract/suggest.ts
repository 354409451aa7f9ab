import { z } from 'zod';

import { Suggestion } from '#core/suggest/suggestion.ts';

/** What `node dist/workers/suggest.js` reads from stdin, as one JSON object. */
export const SuggestRequest = z.strictObject({
  task: z.string().min(1),
  /** `auto` is the first one that is installed and signed in. */
  agent: z.string().min(1),
  /** Absolute path inside of a git repository. */
  repo: z.string().min(1),
});
export type SuggestRequest = z.infer<typeof SuggestRequest>;

/** One line of its stdout; the last one is `suggested` or `failed`. */
export const SuggestMessage = z.discriminatedUnion('event', [
  z.object({ event: z.literal('asking'), agent: z.string(), tries: z.number().int() }),
  z.object({ event: z.literal('suggested'), agent: z.string(), suggestion: Suggestion }),
  z.object({ event: z.literal('failed'), message: z.string(), remedy: z.string() }),
]);
export type SuggestMessage = z.infer<typeof SuggestMessage>;
