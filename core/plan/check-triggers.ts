import type { Definition } from '#core/definition/definition.ts';
import { warningAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';

/** A schedule is kept with the plan; that nothing of this version acts on it must be said. */
export function checkTriggers(compiling: Compiling, { on }: Definition): void {
  if (on?.schedule === undefined) return;
  const message =
    'the schedule is kept with the definition, and this version starts nothing by itself; start the run from your scheduler or CI with `setpoint run`';
  compiling.issues.push(warningAt('on.schedule', 'definition/kept-only', message));
}
