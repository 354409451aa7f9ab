import { type ErrorCode, errorPages } from '#core/contract/error-pages.ts';
import { Fault } from '#core/contract/fault.ts';
import type { Problem } from '#core/contract/http.ts';

import { SetpointProblem, SetpointUnreachable } from '#client/problem.ts';

/** A tool refuses, or could not do its work: `code` is a page in docs/errors. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem';
  readonly code: string;
  readonly remedy: string;
  constructor(code: ErrorCode, detail: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(detail, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.remedy = options.remedy ?? errorPages[code].remedy;
  }
}

/** What a tool tells of a failure. Undefined for a mistake of ours, which is nothing to tell by its inside. */
export function toldProblem(error: unknown): Pick<Problem, 'code' | 'detail' | 'remedy' | 'issues'> | undefined {
  if (error instanceof ToolProblem) return { code: error.code, detail: error.message, remedy: error.remedy };
  if (error instanceof Fault) {
    return { code: error.code, detail: error.message, remedy: errorPages[error.code].remedy };
  }
  if (error instanceof SetpointProblem) {
    const { code, detail, remedy, issues } = error;
    return { code, detail, ...(remedy === undefined ? {} : { remedy }), issues: [...issues] };
  }
  if (error instanceof SetpointUnreachable) {
    return { code: 'server/unreachable', detail: error.message, remedy: errorPages['server/unreachable'].remedy };
  }
  return undefined;
}
