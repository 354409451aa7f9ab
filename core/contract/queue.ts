/** Task queues: one for workflows, one that every host with a free slot polls, one a host. */
export const controlQueue = 'setpoint-control';
export const placementQueue = 'setpoint-placement';

export function hostQueue(hostId: string): string {
  return `setpoint-host-${hostId}`;
}
