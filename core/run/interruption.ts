import { faults, isFaultCode } from '#core/contract/fault.ts';

/** E5: the system's own budget of restarts after crashes, per pass, never the user's retries. */
export const crashRestarts = 3;

const worldWait = { firstMs: 5_000, mostMs: 300_000 };

/** When to look again whether the world has changed (disk space, a lock): ever later, `waits` = how often it was waited. */
export function nextLook(now: number, waits: number): number {
  return now + Math.min(worldWait.firstMs * 2 ** waits, worldWait.mostMs);
}

/**
 * What an interruption costs by its fault: a `crash` spends a restart; a host that was told to stop (`shutdown`), or a
 * world that must change first (`wait`), spends none. A lost host has been waited for by the time that it is lost.
 */
export function interruptionOf(code: string | null): 'crash' | 'shutdown' | 'wait' {
  if (code === 'host/stopping') return 'shutdown';
  const waits = code !== null && code !== 'host/lost' && isFaultCode(code) && faults[code] === 'wait';
  return waits ? 'wait' : 'crash';
}
