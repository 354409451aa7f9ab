import { type ErrorCode, errorPages } from '#core/contract/error-pages.ts';

import { ToolProblem } from '#mcp/tool-problem.ts';

/** A refusal of the law, with the remedy of its page. */
export function refusalProblem({ code, message }: { code: string; message: string }, runId: string): ToolProblem {
  const known: ErrorCode = isErrorCode(code) ? code : 'run/refused';
  const remedy = errorPages[known].remedy.replaceAll(/\bRUN\b/g, runId);
  return new ToolProblem(known, message, { remedy });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorPages, code);
}
