import { unreachable } from '#core/exhaustive.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';

/** Why an attempt by itself does not pass, in one sentence; `undefined` when it does (A4, A6, A12). */
export function attemptProblem(result: AttemptResult): string | undefined {
  switch (result.end.kind) {
    case 'ok':
      return result.match === undefined || result.match.kind === 'pass' ? undefined : result.match.reason;
    case 'timed_out':
      return `The attempt ran into its time limit of ${result.end.afterSeconds} s.`;
    case 'cancelled':
      return 'The attempt was cancelled.';
    case 'failed':
    case 'crashed':
    case 'overload':
    case 'quota':
    case 'refused':
      return result.end.reason;
    default:
      return unreachable(result.end);
  }
}
