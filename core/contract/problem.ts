/**
 * What the API refuses, and what it could not do: the HTTP status and the title of each kind of problem.
 * Closed: a code's meaning never changes once released, and each has a page in docs/errors.
 */
export const problems = {
  'http/bad-request': { status: 400, title: 'The request cannot be read' },
  'http/unauthorized': { status: 401, title: 'No valid token' },
  'http/forbidden': { status: 403, title: 'This is not for everybody' },
  'http/not-found': { status: 404, title: 'There is nothing here' },
  'http/range-not-satisfiable': { status: 416, title: 'The range lies outside the content' },
  'http/body-too-large': { status: 413, title: 'The body is too large' },
  'http/key-reused': { status: 409, title: 'The idempotency key belongs to another request' },
  'server/loops-off': { status: 403, title: 'Loops are switched off here' },
  'definition/invalid': { status: 422, title: 'The definition cannot be run as written' },
  'definition/not-found': { status: 404, title: 'No such stored definition' },
  'person/not-found': { status: 404, title: 'No such person' },
  'secret/not-found': { status: 404, title: 'No such secret' },
  'secret/too-short': { status: 422, title: 'The value is too short to be hidden' },
  'secret/no-key': { status: 501, title: 'This server has no key for secrets' },
  'run/not-found': { status: 404, title: 'No such run' },
  'run/refused': { status: 409, title: 'The run does not allow this now' },
  'run/message-conflict': { status: 409, title: 'Another message was sent under this id' },
  'run/unsaved-work': { status: 409, title: 'The worktree holds work that is saved nowhere else' },
  'run/cleanup-failed': { status: 500, title: 'The host could not clean up' },
  'task/not-found': { status: 404, title: 'No such task' },
  'task/decided': { status: 409, title: 'The task is decided' },
  'task/reopened': { status: 409, title: 'The task was asked again' },
  'task/already-answered': { status: 409, title: 'You have answered already' },
  'task/no-way-back': { status: 409, title: 'There is no way back to that step' },
  'task/push-backs-spent': { status: 409, title: 'The push backs are used up' },
  'task/closed': { status: 410, title: 'The task is closed' },
  'task/not-allowed': { status: 403, title: 'Others decide this task' },
  'task/author': { status: 403, title: 'Whoever started the run does not decide' },
  'task/form-invalid': { status: 422, title: 'The form does not hold what the task asks for' },
  'run/no-definition': { status: 404, title: 'The text of the definition is not kept' },
  'fork/no-such-pass': { status: 404, title: 'There is no such pass to fork at' },
  'fork/snapshot-gone': { status: 409, title: 'The snapshot of the pass is gone' },
  'output/not-found': { status: 404, title: 'No such output' },
  'diff/nothing-yet': { status: 404, title: 'There is no snapshot to compare' },
  'store/artifact-missing': { status: 404, title: 'No such artifact' },
  'store/unavailable': { status: 503, title: 'The database does not answer' },
  'engine/unavailable': { status: 503, title: 'Temporal does not answer' },
  internal: { status: 500, title: 'Something went wrong in the server' },
} as const;
export type ProblemCode = keyof typeof problems;

/** What a client says in place of a problem when the answer holds none, or when there is no answer. */
export type ClientCode = 'unexpected-answer' | 'server/unreachable';

/** Why a confirmation does not count (E-24): nothing was done. */
export type ConfirmationCode =
  | 'confirmation/unknown'
  | 'confirmation/expired'
  | 'confirmation/outdated'
  | 'confirmation/other-call'
  | 'confirmation/other-person';
