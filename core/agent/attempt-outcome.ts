import type { AgentError, AgentErrorClass, AgentExit, AgentReport } from '#core/agent/outcome.ts';
import { unreachable } from '#core/exhaustive.ts';

/** Errors for which the provider is the cause, not the work. */
type ProviderErrorClass = Extract<AgentErrorClass, 'auth' | 'quota' | 'overload' | 'bad_request'>;

export type AgentAttemptOutcome =
  | { kind: 'ok' }
  /** The agent gave up by itself: a non-zero exit, or its own limit. */
  | { kind: 'failed'; exitCode: number; message: string }
  | { kind: 'timed_out'; cause: 'time_limit' | 'stall' }
  | { kind: 'cancelled' }
  /** It died by a signal that was not ours. */
  | { kind: 'crashed'; signal: string; message: string }
  | {
      kind: 'provider_error';
      class: ProviderErrorClass;
      /** `wait` for the window, `retry` with backoff, or `stop` once because trying again cannot help (A3, E6). */
      answer: 'wait' | 'retry' | 'stop';
      message: string;
      exitCode: number | null;
      resetAt?: string;
      retryAfterSeconds?: number;
    }
  | { kind: 'session_lost'; message: string }
  | { kind: 'session_exists'; message: string }
  | { kind: 'permission_stop'; denials: string[] }
  /** Signals disagree; both are shown (A12). */
  | {
      kind: 'inconsistent_exit';
      exitCode: number;
      terminalEvent: AgentReport['terminalEvent'];
      message: string;
      error?: AgentError;
    };

/**
 * The outcome of one agent attempt: the AND of its signals (A12). Exit 0 alone proves nothing.
 * A reader's refused tools are its guard at work (H3), so `permissionStop` counts only for writers.
 */
export function attemptOutcome(mode: 'write' | 'read', exit: AgentExit, report: AgentReport): AgentAttemptOutcome {
  if (exit.endedBy === 'cancel') return { kind: 'cancelled' };
  const told = report.error === undefined ? undefined : outcomeOfError(report.error, exit);
  if (told !== undefined) return told;
  if (exit.endedBy === 'time_limit' || exit.endedBy === 'stall') return { kind: 'timed_out', cause: exit.endedBy };
  if (mode === 'write' && report.permissionStop) return { kind: 'permission_stop', denials: report.denials };
  return exit.endedBy === 'terminal_event' ? afterTerminalEvent(report) : afterOwnEnd(exit, report);
}

/** Errors that decide on their own, whatever the exit code says. */
function outcomeOfError(error: AgentError, exit: AgentExit): AgentAttemptOutcome | undefined {
  switch (error.class) {
    case 'auth':
    case 'quota':
    case 'overload':
    case 'bad_request':
      return providerError(error.class, error, exit);
    case 'session_lost':
    case 'session_exists':
      return { kind: error.class, message: error.message };
    case 'limit':
    case 'aborted':
    case 'crash':
      return undefined;
    default:
      return unreachable(error.class);
  }
}

const answers = { auth: 'stop', bad_request: 'stop', quota: 'wait', overload: 'retry' } as const satisfies Record<
  ProviderErrorClass,
  'wait' | 'retry' | 'stop'
>;

function providerError(errorClass: ProviderErrorClass, error: AgentError, exit: AgentExit): AgentAttemptOutcome {
  return {
    kind: 'provider_error',
    class: errorClass,
    answer: answers[errorClass],
    message: error.message,
    exitCode: exit.exitCode,
    ...(error.resetAt === undefined ? {} : { resetAt: error.resetAt }),
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  };
}

/** We ended a CLI that lingered after its terminal event: its exit says nothing, its event says all. */
function afterTerminalEvent(report: AgentReport): AgentAttemptOutcome {
  if (report.terminalEvent === 'missing') {
    return inconsistent(0, report, 'The agent was ended as done, but its terminal event is missing.');
  }
  return report.error === undefined ? { kind: 'ok' } : { kind: 'failed', exitCode: 1, message: report.error.message };
}

function afterOwnEnd(exit: AgentExit, report: AgentReport): AgentAttemptOutcome {
  const signal = exit.signal ?? signalOfCode(exit.exitCode);
  if (signal !== undefined) {
    return { kind: 'crashed', signal, message: report.error?.message ?? `The agent was killed by ${signal}.` };
  }
  return outcomeOfCode(exit.exitCode ?? 1, report);
}

function outcomeOfCode(exitCode: number, report: AgentReport): AgentAttemptOutcome {
  if (exitCode === 0) {
    if (report.error !== undefined) {
      return inconsistent(0, report, `The agent exited 0 but reported an error: ${report.error.message}`);
    }
    if (report.terminalEvent === 'missing') {
      return inconsistent(0, report, 'The agent exited 0 without its terminal event, so its work may be cut off.');
    }
    return { kind: 'ok' };
  }
  if (report.terminalEvent === 'seen' && report.error === undefined) {
    return inconsistent(exitCode, report, `The agent reported success but exited ${exitCode}.`);
  }
  return { kind: 'failed', exitCode, message: report.error?.message ?? `The agent exited ${exitCode}.` };
}

function inconsistent(exitCode: number, report: AgentReport, message: string): AgentAttemptOutcome {
  return {
    kind: 'inconsistent_exit',
    exitCode,
    terminalEvent: report.terminalEvent,
    message,
    ...(report.error === undefined ? {} : { error: report.error }),
  };
}

/** Shells and Node report a death by signal n as 128+n. Only the signals that kill are read so: other codes are a CLI's own. */
function signalOfCode(exitCode: number | null): string | undefined {
  switch (exitCode) {
    case null:
      return 'an unknown signal';
    case 130:
      return 'SIGINT';
    case 134:
      return 'SIGABRT';
    case 137:
      return 'SIGKILL';
    case 139:
      return 'SIGSEGV';
    case 143:
      return 'SIGTERM';
    default:
      return undefined;
  }
}
