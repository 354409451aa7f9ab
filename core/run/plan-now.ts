import type { Plan } from '#core/plan/plan.ts';
import type { RunState } from '#core/run/state.ts';

/**
 * The plan that counts now (E3): the run's last revision, and for a step whose pass began before it the step as it was
 * then. `original` is the plan that the run was started with.
 */
export function planNow(original: Plan, state: RunState): Plan {
  const plan = state.plan ?? original;
  // Asked at every event: only an edit leaves steps with a plan of their own.
  if (state.revision === 1 || !Object.values(state.steps).some(({ planned }) => planned !== null)) return plan;
  return { ...plan, steps: plan.steps.map((step) => state.steps[step.id]?.planned ?? step) };
}
