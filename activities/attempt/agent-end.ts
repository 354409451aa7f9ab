import type { AgentExit } from '#core/agent/outcome.ts';
import type { AgentAttemptOutcome } from '#core/agent/attempt-outcome.ts';
import { durationText } from '#core/plan/amounts.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { AttemptEnd } from '#core/run/attempt-result.ts';
import type { ContainedResult } from '#infra/process/contained-spec.ts';

/** How the agent's process ended, as its parser and the outcome rule want it. */
export function exitOf(result: ContainedResult): AgentExit {
  return {
    exitCode: result.signal === undefined ? result.exitCode : null,
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    endedBy: endedBy(result.ended),
  };
}

function endedBy(ended: ContainedResult['ended']): AgentExit['endedBy'] {
  switch (ended) {
    case 'exit':
    case 'spawn_failed':
      return 'itself';
    case 'timeout':
    case 'output_limit':
      return 'time_limit';
    case 'quiet':
      return 'stall';
    case 'cancelled':
      return 'cancel';
    case 'terminal_event':
      return 'terminal_event';
    default:
      return unreachable(ended);
  }
}

interface EndFacts {
  /** Epoch milliseconds. */
  now: number;
  timeSeconds: number;
  /** H2: the limit without progress, where there is one. */
  quietSeconds?: number | undefined;
  /** How to sign in. */
  remedy: string;
}

/** The outcome of an agent in the law's words (A12, A3, E6, H2). */
export function endOf(outcome: AgentAttemptOutcome, facts: EndFacts): AttemptEnd {
  switch (outcome.kind) {
    case 'ok':
      return { kind: 'ok' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'timed_out':
      return outcome.cause === 'stall' ? stalled(facts) : { kind: 'timed_out', afterSeconds: facts.timeSeconds };
    case 'crashed':
      return { kind: 'crashed', reason: outcome.message };
    case 'failed':
    case 'session_lost':
    case 'session_exists':
    case 'inconsistent_exit':
      return { kind: 'failed', reason: outcome.message };
    case 'permission_stop':
      return { kind: 'failed', reason: `It stopped for want of a permission: ${denied(outcome.denials)}` };
    case 'provider_error':
      return providerEnd(outcome, facts);
    default:
      return unreachable(outcome);
  }
}

const mostDenials = 5;

function denied(denials: readonly string[]): string {
  const more = denials.length > mostDenials ? `; and ${denials.length - mostDenials} more` : '';
  return `${denials.slice(0, mostDenials).join('; ')}${more}`;
}

function stalled({ quietSeconds = 0 }: EndFacts): AttemptEnd {
  const reason = `It hung: no output and no tool use for ${durationText(quietSeconds)}, its \`quiet\` limit; it was ended.`;
  return { kind: 'failed', reason };
}

type ProviderError = Extract<AgentAttemptOutcome, { kind: 'provider_error' }>;

function providerEnd(outcome: ProviderError, { now, remedy }: EndFacts): AttemptEnd {
  const { message: reason, retryAfterSeconds, resetAt } = outcome;
  switch (outcome.class) {
    case 'auth':
      return { kind: 'refused', reason, remedy: `Sign in on the host (${remedy}), then retry the run.` };
    case 'bad_request':
      return { kind: 'refused', reason, remedy: 'Mend the agent, model or prompt in the definition and start again.' };
    case 'overload':
      return { kind: 'overload', reason, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
    case 'quota': {
      const relative = retryAfterSeconds === undefined ? undefined : now + retryAfterSeconds * 1000;
      const resetAtMs = resetAt === undefined ? relative : Date.parse(resetAt);
      return { kind: 'quota', reason, ...(resetAtMs === undefined ? {} : { resetAtMs }) };
    }
    default:
      return unreachable(outcome.class);
  }
}
