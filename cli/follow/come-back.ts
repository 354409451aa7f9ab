/** How to come back to a run that goes on. */
export function comeBack(runId: string): string {
  return [
    `Detached: ${runId} goes on without this command.`,
    `  follow it again  setpoint watch ${runId}`,
    `  end it           setpoint cancel ${runId}`,
  ].join('\n');
}
