import { HTTPException } from 'hono/http-exception';
import type { ErrorHandler, NotFoundHandler } from 'hono';
import { errorPages } from '#core/contract/error-pages.ts';
import { Fault } from '#core/contract/fault.ts';
import type { Logger } from '#infra/log.ts';
import { answerProblem, ApiProblem } from '#api/http/problem.ts';
import { type ProblemCode, problems } from '#core/contract/problem.ts';

/** Every error becomes a problem; one that nobody foresaw is logged and told without its inside. */
export function catchAll(log: Logger): ErrorHandler {
  return (error, c) => {
    const problem = problemOf(error);
    if (problem.body.status >= 500) log.error({ err: error, method: c.req.method, path: c.req.path }, error.message);
    return answerProblem(problem);
  };
}

export const unknownRoute: NotFoundHandler = (c) =>
  answerProblem(
    new ApiProblem('http/not-found', {
      detail: `${c.req.method} ${c.req.path} is no call of this API.`,
      remedy: 'See /v1/openapi.json for the calls that there are.',
    }),
  );

function problemOf(error: Error): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof Fault) return faultProblem(error);
  if (error instanceof HTTPException && error.status < 500) {
    return new ApiProblem('http/bad-request', { detail: error.message }, { cause: error });
  }
  const detail = 'The server could not do this. Its log says why; the request may be tried again.';
  return new ApiProblem('internal', { detail }, { cause: error });
}

function faultProblem(fault: Fault): ApiProblem {
  const kind: ProblemCode = isProblemCode(fault.code) ? fault.code : 'internal';
  const { remedy } = errorPages[fault.code];
  return new ApiProblem(kind, { detail: fault.message, remedy, code: fault.code }, { cause: fault });
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
