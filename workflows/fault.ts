import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';

import type { FaultSeen } from '#core/run/event.ts';
import { cancelledFault } from '#core/run/settle.ts';

/**
 * What stopped an activity, in the law's words. The engine wraps the failure of an activity and gives that of a local one
 * bare. Anything else is a bug of ours and is thrown on.
 */
export function faultOf(error: unknown): FaultSeen {
  if (isCancellation(error)) return { code: cancelledFault, message: 'It was cancelled.' };
  if (!(error instanceof TemporalFailure)) throw error;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return { code: cause.type ?? 'host/crashed', message: cause.message };
  if (cause instanceof TimeoutFailure) return timedOut(cause);
  return { code: 'host/crashed', message: cause?.message ?? error.message };
}

function timedOut(cause: TimeoutFailure): FaultSeen {
  switch (cause.timeoutType) {
    case 'SCHEDULE_TO_START':
      return { code: 'host/lost', message: 'No host took the work in time.' };
    case 'HEARTBEAT':
      return { code: 'host/crashed', message: 'The host stopped reporting while it worked.' };
    case 'START_TO_CLOSE':
    case 'SCHEDULE_TO_CLOSE':
    case undefined:
      return { code: 'host/crashed', message: 'The host did not finish in time.' };
    default:
      return { code: 'host/crashed', message: cause.message };
  }
}
