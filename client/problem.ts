import type { Issue, Problem } from '#client/schema.ts';

/**
 * The server said no. `code` has a page in docs/errors and never changes its meaning; `detail` says what happened in the
 * case at hand, `remedy` what to do about it. `unexpected-answer`: what answered is no Setpoint, or another version.
 */
export class SetpointProblem extends Error {
  override readonly name = 'SetpointProblem';
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly remedy: string | undefined;
  /** Everything that is wrong with a definition or a request, with line and column where they are known. */
  readonly issues: readonly Issue[];
  /** Page of the code. */
  readonly type: string;
  constructor(problem: Problem, options?: { cause: unknown }) {
    super(`${problem.detail} (${problem.code})`, options);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.remedy = problem.remedy;
    this.issues = problem.issues ?? [];
    this.type = problem.type;
  }
}

/** No answer at all. `refused`: nothing listens there, so nothing of the request can have arrived. */
export class SetpointUnreachable extends Error {
  override readonly name = 'SetpointUnreachable';
  readonly url: string;
  readonly refused: boolean;
  constructor(url: string, message: string, options: { cause: unknown; refused?: boolean }) {
    super(message, { cause: options.cause });
    this.url = url;
    this.refused = options.refused ?? false;
  }
}

/** What an answer that is not 2xx says. */
export async function problemOf(response: Response): Promise<SetpointProblem> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isProblem(body)) return new SetpointProblem(body);
  const detail = `${response.url} answered ${response.status} and no problem document: it may be no Setpoint server`;
  return unexpectedAnswer(detail, response.status);
}

/** `status` is that of the answer. */
export function unexpectedAnswer(detail: string, status: number, options?: { cause: unknown }): SetpointProblem {
  return new SetpointProblem(
    { type: 'about:blank', title: 'unexpected answer', status, code: 'unexpected-answer', detail },
    options,
  );
}

export function unreachableServer(url: string, error: unknown): SetpointUnreachable {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return new SetpointUnreachable(url, `no server answers at ${url} (${messageOf(error)})`, {
    refused: code === 'ECONNREFUSED',
    cause: error,
  });
}

/** The message of whatever was thrown, with the cause that `fetch` and `spawn` hide one level down. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause instanceof Error ? thrown.cause.message : '';
  return cause === '' || thrown.message.includes(cause) ? thrown.message : `${thrown.message}: ${cause}`;
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const texts = ['type', 'title', 'code', 'detail'].map((key) => fieldOf(body, key));
  const issues = fieldOf(body, 'issues');
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof fieldOf(body, 'status') === 'number' &&
    ['string', 'undefined'].includes(typeof fieldOf(body, 'remedy')) &&
    (issues === undefined || (Array.isArray(issues) && issues.every(isIssue)))
  );
}

function isIssue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['path', 'code', 'message', 'severity'].every((key) => typeof fieldOf(value, key) === 'string');
}

const fieldOf = (object: object, key: string): unknown => Object.entries(object).find(([name]) => name === key)?.[1];
