import type { RunEventOf } from '#core/run/event.ts';
import type { PauseCode } from '#core/run/run-codes.ts';
import type { RunState } from '#core/run/state.ts';

/** B1, C5: what could not run is tried this often more before the run stops for it. */
export const errorRetries = 2;

/** E2: a pause says why and what clears it. */
export function pause(state: RunState, code: PauseCode, reason: string, remedy: string): RunEventOf<'run.paused'> {
  return { type: 'run.paused', at: state.now, code, reason, remedy };
}
