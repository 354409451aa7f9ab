import type { LimitsPlan, Plan, StepPlan } from '#core/plan/plan.ts';
import type { RaisedLimits } from '#core/run/event.ts';

/** The plan with its limits raised (E3); a limit is never lowered, and what has none gets none. */
export function raisedPlan(plan: Plan, raised: RaisedLimits): Plan {
  return {
    ...plan,
    steps: plan.steps.map((step) => raisedStep(step, raised)),
    limits: raisedLimits(plan.limits, raised),
  };
}

export function raisedStep(step: StepPlan, { passes, step: only }: RaisedLimits): StepPlan {
  if (passes === undefined || (only !== undefined && only !== step.id)) return step;
  const { loop } = step;
  const raised = { ...step, work: raisedWork(step.work, passes - 1) };
  if (loop === undefined || loop.limit === null || loop.limit >= passes - 1) return raised;
  return { ...raised, loop: { ...loop, limit: passes - 1 } };
}

/** Where push backs are limited, they are by the same number (D3). */
function raisedWork(work: StepPlan['work'], limit: number): StepPlan['work'] {
  if (work.kind !== 'person' || work.pushBackLimit === null) return work;
  return { ...work, pushBackLimit: Math.max(work.pushBackLimit, limit) };
}

function raisedLimits(limits: LimitsPlan, raised: RaisedLimits): LimitsPlan {
  const higher = (now: number | undefined, to: number | undefined): number | undefined =>
    now === undefined || to === undefined ? now : Math.max(now, to);
  const timeSeconds = higher(limits.timeSeconds, raised.timeSeconds);
  const deadlineSeconds = higher(limits.deadlineSeconds, raised.deadlineSeconds);
  const spendUsd = higher(limits.spendUsd, raised.spendUsd);
  return {
    ...limits,
    ...(timeSeconds === undefined ? {} : { timeSeconds }),
    ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
    ...(spendUsd === undefined ? {} : { spendUsd }),
  };
}
