import type { RunOutcome } from '#core/contract/http.ts';
import { unreachable } from '#core/exhaustive.ts';

/** How to come back to a run that goes on. */
export function comeBack(runId: string): string {
  return [`Detached: ${runId} goes on without this command.`, ...steering(runId)].join('\n');
}

/** How to come back to a run whose cancelling was asked for by a first Ctrl-C and left by a second one. */
export function leftCancelling(runId: string, cancel: 'asked' | 'taken' | 'refused'): string {
  switch (cancel) {
    case 'taken':
      return [
        `Detached: ${runId} is being cancelled, and ends what it runs without this command.`,
        `  see it end       setpoint watch ${runId}`,
      ].join('\n');
    case 'asked':
      return [`Detached: nobody has answered yet that ${runId} is cancelled; it may go on.`, ...steering(runId)].join(
        '\n',
      );
    case 'refused':
      return comeBack(runId);
    default:
      return unreachable(cancel);
  }
}

/** What became of the run that an earlier call had started under the key. */
export function foundAgain(key: string, { runId, status, stop }: RunOutcome): string {
  const belongs = `The key ${key} belongs to ${runId}, which`;
  if (stop === null) return [`${belongs} is already ${status}.`, ...steering(runId)].join('\n');
  const ended = stop === 'succeeded' ? 'has succeeded' : `has ended as ${stop}`;
  return [`${belongs} ${ended}.`, `  look at it       setpoint show ${runId}`].join('\n');
}

function steering(runId: string): string[] {
  return [`  follow it again  setpoint watch ${runId}`, `  end it           setpoint cancel ${runId}`];
}
