import type { RunOutcome } from '#core/contract/http.ts';

/** How to come back to a run that goes on. */
export function comeBack(runId: string): string {
  return [`Detached: ${runId} goes on without this command.`, ...steering(runId)].join('\n');
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
