import { z } from 'zod';

/** One thing wrong with a definition. All are reported at once; `line` and `column` are 1-based. */
export const Issue = z.object({
  /** Dotted path into the document, such as `steps.test.loop.to`. */
  path: z.string(),
  /** `<area>/<kebab>`, a page in docs/errors. */
  code: z.string(),
  message: z.string(),
  severity: z.enum(['error', 'warning']),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
});
export type Issue = z.infer<typeof Issue>;
