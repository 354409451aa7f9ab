import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';

import type { FaultSeen } from '#core/run/event.ts';
import { cancelledFault } from '#core/run/settle.ts';

/** What stopped an activity, in the law's words. Anything that is no activity failure is a bug of ours and is thrown on. */
export function faultOf(error: unknown): FaultSeen {
  if (isCancellation(error)) return { code: cancelledFault, message: 'It was cancelled.' };
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
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
