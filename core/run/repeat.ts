import type { LoopPlan } from '#core/plan/plan.ts';
import type { StepState } from '#core/run/state.ts';

type Repeat = NonNullable<LoopPlan['repeat']>;

/**
 * C5: what the loop's condition says of the pass that was judged, or the exit code of its attempt (D-03). One that could
 * not be judged is not met; where that may not be, the law has stopped before it asks this.
 */
export function isMet({ exitCodes }: Repeat, { repeat, result }: StepState): boolean {
  if (exitCodes === undefined) return repeat?.kind === 'met';
  return result?.exitCode !== undefined && exitCodes.includes(result.exitCode);
}

/** ` (it gave 1)`, or the reason of an error; nothing where the attempt's own exit code was judged. */
export function conditionText({ repeat }: StepState): string {
  if (repeat === null) return '';
  return repeat.kind === 'error'
    ? ` (it could not be judged: ${repeat.reason})`
    : ` (it gave ${repeat.actual || 'nothing'})`;
}
