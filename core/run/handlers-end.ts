import { handlersOf } from '#core/plan/handlers.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { FailureCode } from '#core/run/run-codes.ts';
import { type Handling, type RunState, stepOf } from '#core/run/state.ts';
import type { Stop } from '#core/run/stop.ts';

/** The end as it stands by now: a handler that failed, or was cancelled, makes a success none; it changes no other end. */
export function endOf(plan: Plan, state: RunState, { stop, cancelled }: Handling): Stop {
  if (stop.kind !== 'succeeded') return stop;
  if (cancelled !== null)
    return { kind: 'cancelled', reason: `${stop.reason} Its handlers were cancelled: ${cancelled}` };
  const failed = handlersOf(plan).find(({ id }) => {
    const { outcome, continued } = stepOf(state, id);
    return outcome === 'failed' && !continued;
  });
  if (failed === undefined) return stop;
  const why = stepOf(state, failed.id).reason ?? 'no reason was given';
  return {
    kind: 'failed',
    code: 'handler_failed' satisfies FailureCode,
    reason: `${stop.reason} Then its handler "${failed.name}" failed: ${why}`,
    remedy: `Mend what the handler needs, then: setpoint retry ${state.runId}`,
  };
}
