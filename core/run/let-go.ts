import type { StepPlan } from '#core/plan/plan.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import type { StepState } from '#core/run/state.ts';

/**
 * Does the run go on though the step failed (D-14)? By `continueOnError` after any failure; by `continueOn` after an exit
 * code of its list, or when one of its patterns is in the output of this pass. What could not be judged lets nothing go,
 * and the reason says so.
 */
export function letGo(step: StepPlan, now: StepState, reason: string): { reason: string; continued: boolean } {
  const result = now.resultPass === now.pass ? now.result : null;
  const { exitCodes = [], matches = [] } = step.continueOn ?? {};
  const byCode = result?.exitCode !== undefined && exitCodes.includes(result.exitCode);
  const match = matches.length === 0 ? undefined : result?.goesOn;
  const continued = step.continueOnError || byCode || match?.kind === 'pass';
  if (continued || match?.kind !== 'error') return { reason, continued };
  return { reason: `${reason} Whether its output lets the run go on could not be judged: ${match.reason}`, continued };
}

/** `markSuccess`: a step whose failure is let go counts as succeeded, and says what failed. */
export function marked(step: StepPlan, event: RunEvent): RunEvent {
  if (event.type !== 'step.failed' || !event.continued || step.continueOn?.markSuccess !== true) return event;
  return succeededAllTheSame(event);
}

function succeededAllTheSame({ at, step, pass, reason }: RunEventOf<'step.failed'>): RunEvent {
  return { type: 'step.succeeded', at, step, pass, note: `counts as succeeded although it failed: ${reason}` };
}
