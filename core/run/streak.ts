import type { StepPlan } from '#core/plan/plan.ts';
import type { StepState } from '#core/run/state.ts';

/** Reviews that passed and must pass again (B6), with how often in a row they did. */
export function shortStreaks(step: StepPlan, now: StepState): { check: string; passed: number; of: number }[] {
  return step.checks.flatMap((check) => {
    if (check.kind !== 'review') return [];
    const passed = now.streaks[check.name] ?? 0;
    const isPassed = now.verdicts.some(({ check: name, verdict }) => name === check.name && verdict.kind === 'pass');
    return isPassed && passed < check.consecutive ? [{ check: check.name, passed, of: check.consecutive }] : [];
  });
}

/** B6: any failure of the pass begins every streak anew. */
export function streaksAfter(step: StepPlan, now: StepState): StepState['streaks'] {
  const failed = now.verdicts.some(({ verdict }) => verdict.kind !== 'pass');
  const unasked = step.checks.some(({ name }) => !now.verdicts.some(({ check }) => check === name));
  return failed || unasked || now.result?.end.kind !== 'ok' ? {} : now.streaks;
}
