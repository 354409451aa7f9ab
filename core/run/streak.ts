import type { StepPlan } from '#core/plan/plan.ts';
import { attemptProblem } from '#core/run/attempt-problem.ts';
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

/** B6: any failure of the pass begins every streak anew; under `any` a review's own one does (its streak is 0 then). */
export function streaksAfter(step: StepPlan, now: StepState): StepState['streaks'] {
  return isOtherwisePassed(step, now) ? now.streaks : {};
}

/** Is a streak that must grow all that the pass lacks? Under `any` it would be enough, whatever else failed (B2). */
export function isOtherwisePassed(step: StepPlan, now: StepState): boolean {
  if (now.result === null || attemptProblem(now.result) !== undefined) return false;
  const written = new Set(step.checks.map(({ name }) => name));
  const kinds = new Map(now.verdicts.map(({ check, verdict }) => [check, verdict.kind]));
  if (step.mode === 'any') {
    const guarded = [...kinds].filter(([check]) => !written.has(check)).every(([, kind]) => kind === 'pass');
    return guarded && shortStreaks(step, now).length > 0;
  }
  return [...written].every((name) => kinds.has(name)) && [...kinds.values()].every((kind) => kind === 'pass');
}
