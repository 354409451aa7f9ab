/** A run's seat: the workflow that carries it now (decision 13). Seat 1 is the run's own id. */
export function seatId(runId: string, seat: number): string {
  return seat === 1 ? runId : `${runId}~${seat}`;
}

/** The Temporal workflow type of a run, and the Update by which every message reaches it. */
export const runWorkflowType = 'run';
export const messageUpdate = 'message';
