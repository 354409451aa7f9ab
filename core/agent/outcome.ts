/** What one agent process used. Reasoning counts as output; `cachedInputTokens` is a part of `inputTokens`. */
export interface AgentUsage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  /** Absent when the CLI does not tell a price. */
  costUsd?: number;
  /** True: totals of the whole session, resumed ones included, so only the difference is new (H1, `usageSince`). */
  cumulative: boolean;
}

/**
 * What went wrong, by the provider's or the CLI's own error signal, never by ordinary text (E6).
 * - `auth` not signed in, key refused · `quota` a usage window or rate limit · `overload` provider down, busy or cut off
 * - `bad_request` model or request refused, or the CLI cannot run as it was called
 * - `session_lost` the session to resume is gone · `session_exists` the id to start with is taken: resume it
 * - `limit` the CLI's own limit of turns or spend · `aborted` it was interrupted · `crash` anything else
 */
export type AgentErrorClass =
  | 'auth'
  | 'quota'
  | 'overload'
  | 'bad_request'
  | 'session_lost'
  | 'session_exists'
  | 'limit'
  | 'aborted'
  | 'crash';

export interface AgentError {
  class: AgentErrorClass;
  message: string;
  /** ISO instant at which the provider's window opens again; only when it was said with a zone (E6). */
  resetAt?: string;
  /** Seconds from now, when the provider gave a relative time (Retry-After). */
  retryAfterSeconds?: number;
}

/** What every adapter's parser makes of one finished process. Plain JSON. */
export interface AgentReport {
  sessionId?: string;
  /** The final answer where the CLI tells it, else the tail of its stdout (A5). */
  finalText?: string;
  usage?: AgentUsage;
  /** `none_expected`: a text harness, which has no terminal event. */
  terminalEvent: 'seen' | 'missing' | 'none_expected';
  error?: AgentError;
  /** Tool calls that the agent's own permission mode refused, as `tool: detail`. */
  denials: string[];
  /** The last tool call was refused (or the order is unknown): the agent stopped for want of a permission (A12). */
  permissionStop: boolean;
}

/** How the process ended. */
export interface AgentExit {
  /** Null when it died by a signal. */
  exitCode: number | null;
  signal?: string;
  /**
   * Who ended it: `terminal_event` means that we did, after the CLI's terminal event, because it lingered;
   * `time_limit`, `stall` and `cancel` mean that we did before it was done.
   */
  endedBy: 'itself' | 'terminal_event' | 'time_limit' | 'stall' | 'cancel';
}
