import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import type { Plan } from '#core/plan/plan.ts';

/** What the plan can express and this version does not act on: refused with a remedy, never silently ignored. */
export function checkNotYet(compiling: Compiling, plan: Plan): void {
  const refuse = (path: string, what: string, remedy: string): void => {
    const message = `${what} is not supported by this version; ${remedy}`;
    compiling.issues.push(errorAt(path, 'definition/not-yet', message));
  };
  if (plan.deliver.mode === 'pr' || plan.deliver.mode === 'merge') {
    refuse(
      'deliver',
      `\`deliver: ${plan.deliver.mode}\``,
      'use `deliver: branch` and open the pull request from that branch',
    );
  }
}
