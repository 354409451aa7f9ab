import type { RunEventOf } from '#core/run/event.ts';
import type { PauseCode } from '#core/run/run-codes.ts';
import type { RunState } from '#core/run/state.ts';

/** B1, C5: what could not run is tried this often more before the run stops for it. */
export const errorRetries = 2;

/** E2: a pause says why and what clears it. */
export function pause(state: RunState, code: PauseCode, reason: string, remedy: string): RunEventOf<'run.paused'> {
  return { type: 'run.paused', at: state.now, code, reason, remedy };
}

/** The remedy of a pause whose cause lies in the world. */
export function resumeAfter({ runId }: RunState, mend: string): string {
  return `${mend}, then: setpoint resume ${runId}`;
}

/** E3: what is under way, and its checks, end first. */
export function pausedBy(state: RunState, by = 'request', reason?: string): RunEventOf<'run.paused'> {
  const why = `Paused by ${by}${reason === undefined ? '.' : `: ${reason}`}`;
  return pause(state, 'person', why, `setpoint resume ${state.runId}`);
}
