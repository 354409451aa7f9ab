import { errorPageOf } from '#core/contract/error-page-of.ts';
import type { Problem } from '#core/contract/http.ts';
import { type ProblemCode, problems } from '#core/contract/problem.ts';
import type { Issue } from '#core/issue/issue.ts';

export interface ProblemDetails {
  /** What happened and why, one or two sentences. */
  detail: string;
  remedy?: string;
  issues?: Issue[];
  /** More precise than the kind of problem, such as the code with which a run refused. */
  code?: string;
}

/** Thrown by routes; `answerProblem` is the only place that makes it a response. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly body: Problem;
  constructor(kind: ProblemCode, details: ProblemDetails, options?: { cause: unknown }) {
    super(details.detail, options);
    const { status, title } = problems[kind];
    const code = details.code ?? kind;
    this.body = { type: errorPageOf(code), title, status, ...details, code };
  }
}

/** RFC 9457. */
export function answerProblem({ body }: ApiProblem): Response {
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (body.status === 401) headers.set('www-authenticate', 'Bearer');
  if (body.status === 503) headers.set('retry-after', '2');
  return new Response(JSON.stringify(body), { status: body.status, headers });
}
