import type { MessageAnswer, RunMessage } from '#core/contract/seat.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { RefusalCode } from '#core/run/run-codes.ts';
import { isBusy, type RunState } from '#core/run/state.ts';

/** Whether a message is allowed now; a refusal names the remedy. Asked by the API first and judged by the workflow. */
export function may(state: RunState, message: RunMessage): MessageAnswer {
  if (state.messages.includes(message.id)) return { kind: 'applied' };
  switch (message.kind) {
    case 'cancel':
      return mayCancel(state);
    case 'retry':
      return mayRetry(state);
    default:
      return unreachable(message);
  }
}

export function mayCancel(state: RunState): MessageAnswer {
  if (state.stop !== null)
    return refused('run/ended', `The run has ended (${state.stop.kind}); there is nothing to cancel.`);
  return { kind: 'applied' };
}

/** E8: a run that has ended or is paused, with nothing of it alive any more. */
export function mayRetry(state: RunState): MessageAnswer {
  if (state.stop?.kind === 'succeeded') {
    return refused('run/succeeded', 'The run has succeeded; start a new run instead.');
  }
  if (state.stop !== null) return { kind: 'applied' };
  if (state.paused === null) return refused('run/not-ended', 'The run has not ended; cancel it first, or let it end.');
  if (isBusy(state)) return refused('run/busy', 'The run is pausing: what is under way ends first. Ask again then.');
  return { kind: 'applied' };
}

function refused(code: RefusalCode, message: string): MessageAnswer {
  return { kind: 'refused', code, message };
}

/** The event of an allowed message; `undefined` when it was applied before (D2). */
export function eventOf(state: RunState, message: RunMessage, at: number): RunEvent | undefined {
  if (state.messages.includes(message.id)) return undefined;
  switch (message.kind) {
    case 'cancel':
      return { type: 'run.cancelling', at, messageId: message.id, reason: message.reason };
    case 'retry':
      return { type: 'run.retried', at, messageId: message.id };
    default:
      return unreachable(message);
  }
}
