import type { Problem } from '#core/contract/http.ts';

import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';

/** The server said no, in `application/problem+json`; `problem.code` is a page in docs/errors. */
export class ApiProblem extends CliFailure {
  override readonly name = 'ApiProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(exitCodeOf(problem), `${causeOf(problem)} (${problem.code})`, remedyOf(problem));
    this.problem = problem;
  }
}

/** No answer at all. `refused`: nothing listens there, so nothing of the request can have arrived. */
export class ServerUnreachable extends CliFailure {
  override readonly name = 'ServerUnreachable';
  readonly refused: boolean;
  constructor(message: string, options: { refused: boolean; remedy: string; cause: unknown }) {
    super(exitCodes.infrastructure, message, { remedy: options.remedy, cause: options.cause });
    this.refused = options.refused;
  }
}

/** What the run refuses to somebody (403 on a task) is a refusal like any other; a token without a right is set-up. */
function exitCodeOf({ status, code }: Problem): ExitCode {
  if (status >= 500 || status === 401 || status === 429) return exitCodes.infrastructure;
  const isSetUp = code === 'http/forbidden' || code === 'server/loops-off';
  return isSetUp ? exitCodes.infrastructure : exitCodes.usage;
}

/** Where a person gave an option, the part of the request that it became says nothing. */
function causeOf({ code, detail, issues = [] }: Problem): string {
  if (code !== 'http/bad-request' || issues.length === 0) return detail;
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

function remedyOf(problem: Problem): { remedy?: string } {
  if (problem.code === 'http/bad-request') {
    return { remedy: 'correct what the message names; `setpoint COMMAND --help` shows how it is written' };
  }
  if (problem.remedy !== undefined) return { remedy: problem.remedy };
  if (problem.status === 401) return { remedy: 'give the token of that server with --token or SETPOINT_TOKEN' };
  return {};
}
