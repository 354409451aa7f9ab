/** Codes that the law itself gives; each has a page in docs/errors. Closed: a code's meaning never changes once released. */

/** Why a message to a run is refused (`may`). */
export type RefusalCode =
  | 'run/ended'
  | 'run/succeeded'
  | 'run/not-ended'
  | 'run/busy'
  | 'run/not-found'
  | 'run/already-paused'
  | 'run/not-paused'
  | 'run/cause-holds'
  | 'raise/not-higher'
  | 'raise/no-limit'
  | 'edit/not-allowed'
  | 'edit/unchanged'
  | 'step/not-found'
  | 'step/not-finished'
  | 'task/not-found'
  | 'task/reopened'
  | 'task/decided'
  | 'task/closed'
  | 'task/already-answered'
  | 'task/no-way-back'
  | 'task/push-backs-spent';

/** Why a run is paused (E2, C7). */
export type PauseCode = 'check_error' | 'condition_error' | 'match_error' | 'exhausted' | 'person' | LimitCode;

/** A limit of the whole run that ran out: the kind of its stop, or the code of its pause (C7). */
export type LimitCode = 'timed_out' | 'over_budget';

/** Why a run failed, where neither a step nor a fault says it. */
export type FailureCode = 'stuck' | 'base_red' | 'handler_failed';

/** Why a seat of a run ended though the run goes on. */
export type SeatCode = 'run/superseded';
