import type { Plan } from '#core/plan/plan.ts';
import type { RunEvent } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { spendExceeded, timeExceeded } from '#core/run/limits.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

/** Passes that let a loop fire as often again as its limit says, counted from where it stands: an edit may have lowered the limit. */
export function asManyAgain(limit: number, loops: number): number {
  return Math.max(limit, loops) + 1 + Math.max(1, limit);
}

/**
 * Why a paused run cannot be resumed yet, with the command that clears it (E3); `null` when it can. What was broken in
 * the world cannot be seen from here: resuming asks it again.
 */
export function causeOf(plan: Plan, state: RunState): { reason: string; remedy: string } | null {
  const { paused, runId } = state;
  if (paused === null) return null;
  switch (paused.code) {
    case 'exhausted': {
      if (paused.step === null) return null;
      const { loops } = stepOf(state, paused.step);
      const limit = planStep(plan, paused.step).loop?.limit ?? null;
      if (limit === null || loops < limit) return null;
      return { reason: paused.reason, remedy: `setpoint raise ${runId} --passes ${asManyAgain(limit, loops)}` };
    }
    case 'timed_out':
      return stillExceeded(paused, timeExceeded(plan, state));
    case 'over_budget':
      return stillExceeded(paused, spendExceeded(plan, state));
    case 'match_error':
      if (state.revision > paused.revision) return null;
      return { reason: paused.reason, remedy: `setpoint edit ${runId} FILE, with the pattern mended` };
    default:
      return null;
  }
}

/** With the amounts as they are by now. */
function stillExceeded(paused: { reason: string; remedy: string }, event: RunEvent | undefined) {
  if (event === undefined) return null;
  return { reason: paused.reason, remedy: event.type === 'run.paused' ? event.remedy : paused.remedy };
}
