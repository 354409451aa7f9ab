import { z } from 'zod';

import type { IssueCode } from '#core/issue/issue-codes.ts';

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

/** An issue that stops the definition. `path` is dotted, into the document; the position is added where it is known. */
export function errorAt(path: string, code: IssueCode, message: string): Issue {
  return { path, code, message, severity: 'error' };
}

/** An issue that is shown and stops nothing. */
export function warningAt(path: string, code: IssueCode, message: string): Issue {
  return { path, code, message, severity: 'warning' };
}

export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.severity === 'error');
}
