import type { Problem } from '#core/contract/http.ts';

import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';

/** The server said no, in `application/problem+json`; `problem.code` is a page in docs/errors. */
export class ApiProblem extends CliFailure {
  override readonly name = 'ApiProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(exitCodeOfStatus(problem.status), `${problem.detail} (${problem.code})`, remedyOf(problem));
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

function exitCodeOfStatus(status: number): ExitCode {
  if (status >= 500 || status === 401 || status === 403 || status === 429) return exitCodes.infrastructure;
  return exitCodes.usage;
}

function remedyOf(problem: Problem): { remedy?: string } {
  if (problem.remedy !== undefined) return { remedy: problem.remedy };
  if (problem.status === 401) return { remedy: 'give the token of that server with --token or SETPOINT_TOKEN' };
  return {};
}
