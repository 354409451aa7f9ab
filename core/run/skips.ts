import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { RunEventOf } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

/**
 * A8: a skipped step of a plan that says so takes what comes after it along, and so on. A step that was taken along does
 * so as well, unless its own `skipsDependents` is false. `undefined`: the step is not concerned.
 */
export function skippedAlong(plan: Plan, state: RunState, step: StepPlan): RunEventOf<'step.skipped'> | undefined {
  for (const id of step.after) {
    const before = stepOf(state, id);
    const { name, skipsDependents } = planStep(plan, id);
    const takesAlong = skipsDependents ?? before.skippedBy !== null;
    if (before.outcome !== 'skipped' || !takesAlong) continue;
    const by = before.skippedBy ?? id;
    const { pass } = stepOf(state, step.id);
    const first = by === id ? name : planStep(plan, by).name;
    const reason = `Step "${first}" was skipped, and so is what comes after it.`;
    return { type: 'step.skipped', at: state.now, step: step.id, pass, reason, by };
  }
  return undefined;
}
