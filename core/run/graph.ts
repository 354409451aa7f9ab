import { handlersOf } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';

/** The step and every step that is after it, directly or not, in plan order. */
export function withDownstream(plan: Plan, id: string): string[] {
  const reached = new Set([id]);
  // plan.steps is topological: one pass in order reaches everything.
  for (const step of plan.steps) {
    if (step.after.some((before) => reached.has(before))) reached.add(step.id);
  }
  return plan.steps.filter((step) => reached.has(step.id)).map((step) => step.id);
}

/** Every step that is before it, directly or not, the nearest last in plan order. */
export function upstream(plan: Plan, id: string): string[] {
  const wanted = new Set([id]);
  for (const step of plan.steps.toReversed()) {
    if (wanted.has(step.id)) for (const before of step.after) wanted.add(before);
  }
  return plan.steps.filter((step) => wanted.has(step.id) && step.id !== id).map((step) => step.id);
}

/** C2: the target, everything downstream of it, and the step whose loop fired. */
export function resetSet(plan: Plan, from: string, to: string): string[] {
  const reset = new Set([...withDownstream(plan, to), from]);
  return plan.steps.filter((step) => reset.has(step.id)).map((step) => step.id);
}

/** A step of the plan, or a handler of it. */
export function planStep(plan: Plan, id: string): StepPlan {
  const isIt = (candidate: StepPlan): boolean => candidate.id === id;
  const step = plan.steps.find(isIt) ?? handlersOf(plan).find(isIt);
  if (step === undefined) throw new TypeError(`unknown step ${id}: the state is not of this plan`);
  return step;
}
