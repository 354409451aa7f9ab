import type { Problem } from '#core/contract/http.ts';
import type { Issue } from '#core/issue/issue.ts';

/** What the API refuses, and what it could not do. Closed: each code is a page in docs/errors. */
export const problems = {
  'http/bad-request': { status: 400, title: 'The request cannot be read' },
  'http/unauthorized': { status: 401, title: 'No valid token' },
  'http/not-found': { status: 404, title: 'There is nothing here' },
  'http/range-not-satisfiable': { status: 416, title: 'The range lies outside the content' },
  'http/body-too-large': { status: 413, title: 'The body is too large' },
  'http/key-reused': { status: 409, title: 'The idempotency key belongs to another request' },
  'definition/invalid': { status: 422, title: 'The definition cannot be run as written' },
  'run/not-found': { status: 404, title: 'No such run' },
  'run/refused': { status: 409, title: 'The run does not allow this now' },
  'run/message-conflict': { status: 409, title: 'Another message was sent under this id' },
  'output/not-found': { status: 404, title: 'No such output' },
  'diff/nothing-yet': { status: 404, title: 'There is no snapshot to compare' },
  'store/artifact-missing': { status: 404, title: 'No such artifact' },
  'store/unavailable': { status: 503, title: 'The database does not answer' },
  internal: { status: 500, title: 'Something went wrong in the server' },
} as const;
export type ProblemCode = keyof typeof problems;

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
    this.body = { type: `docs/errors/${code}`, title, status, ...details, code };
  }
}

/** RFC 9457. */
export function answerProblem({ body }: ApiProblem): Response {
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (body.status === 401) headers.set('www-authenticate', 'Bearer');
  if (body.status === 503) headers.set('retry-after', '2');
  return new Response(JSON.stringify(body), { status: body.status, headers });
}
