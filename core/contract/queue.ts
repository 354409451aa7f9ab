import { codePointBytes } from '#core/text/utf8-bytes.ts';

/** Task queues: one for workflows, one that every host with a free slot polls, one a host. */
export const controlQueue = 'setpoint-control';
export const placementQueue = 'setpoint-placement';

/** The engine takes 64 bytes at most and fails what has more. */
const longestFairnessKey = 64;

/** By what the work of a project takes turns with that of others; projects whose names begin alike share a turn. */
export function fairnessKeyOf(project: string): string {
  let key = '';
  let bytes = 0;
  for (const character of project) {
    bytes += codePointBytes(character.codePointAt(0) ?? 0);
    if (bytes > longestFairnessKey) break;
    key += character;
  }
  return key;
}

export function hostQueue(hostId: string): string {
  return `setpoint-host-${hostId}`;
}
