import type { StepPlan } from '#core/plan/plan.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import type { StepState } from '#core/run/state.ts';

/**
 * Does the run go on though the step failed (D-14)? By `continueOnError` after any failure; by `continueOn` after an exit
 * code of its list, or when one of its patterns is in the output of this pass. What could not be judged lets nothing go,
 * and the reason says so.
 */
export function letGo(step: StepPlan, now: StepState, reason: string): { reason: string; continued: boolean } {
  const result = now.resultPass === now.pass ? now.result : null;
  const match = (step.continueOn?.matches ?? []).length === 0 ? undefined : result?.goesOn;
  if (step.continueOnError || isByCode(step, result) || match?.kind === 'pass') return { reason, continued: true };
  if (match?.kind !== 'error') return { reason, continued: false };
  const doubt = `Whether its output lets the run go on could not be judged: ${match.reason}`;
  return { reason: `${reason} ${doubt}`, continued: false };
}

function isByCode({ continueOn }: StepPlan, result: AttemptResult | null): boolean {
  const { exitCodes = [] } = continueOn ?? {};
  return result?.exitCode !== undefined && exitCodes.includes(result.exitCode);
}

/** `markSuccess`: a step whose failure is let go counts as succeeded, and says what failed. */
export function marked(step: StepPlan, event: RunEvent): RunEvent {
  if (event.type !== 'step.failed' || !event.continued || step.continueOn?.markSuccess !== true) return event;
  return succeededAllTheSame(event);
}

function succeededAllTheSame({ at, step, pass, reason }: RunEventOf<'step.failed'>): RunEvent {
  return { type: 'step.succeeded', at, step, pass, note: `counts as succeeded although it failed: ${reason}` };
}
