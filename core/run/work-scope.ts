import type { AttemptInput, RenderScope } from '#core/contract/activities.ts';
import { feedbackFor } from '#core/feedback/route.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { planNow } from '#core/run/plan-now.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';

/** What the law knows beside its state: the run's own inputs, fixed at its start. */
export interface RunFacts {
  plan: Plan;
  inputs: Record<string, string>;
  /** Of its work among that of other runs. */
  priority?: number;
}

/** The same with the plan that counts now (E3): what starts now starts from it. */
export function factsNow(facts: RunFacts, state: RunState): RunFacts {
  return { ...facts, plan: planNow(facts.plan, state) };
}

export function workspaceOf(facts: RunFacts, state: RunState): AttemptInput['workspace'] {
  const { base, path } = state.workspace;
  const { workspace } = facts.plan;
  return { plan: workspace, path: path ?? workspace.repo, ...(base === null ? {} : { base }) };
}

export function scopeOf(facts: RunFacts, state: RunState, step: StepPlan | undefined): RenderScope {
  const now = step === undefined ? undefined : stepOf(state, step.id);
  return {
    inputs: facts.inputs,
    outputs: outputsOf(state),
    feedback: step === undefined || now === undefined ? [] : feedbackFor(step, state, now),
    iteration: now === undefined ? 0 : reentries(now),
    run: { id: state.runId, name: facts.plan.name },
    ...(now === undefined || now.found === null ? {} : { condition: now.found }),
  };
}

/** By step, and by `<step>.outputs.<name>` where a child run named them. */
function outputsOf(state: RunState): RenderScope['outputs'] {
  return Object.fromEntries(
    Object.entries(state.steps).flatMap(([id, { result }]) => {
      if (result === null) return [];
      const named = Object.entries(result.outputs ?? {}).map(([name, ref]) => [`${id}.outputs.${name}`, ref] as const);
      return [[id, result.output] as const, ...named];
    }),
  );
}

/** V-21: how often the step was re-entered; loops that reset it before it had ever begun do not count. */
function reentries(now: StepState): number {
  return Math.max(0, now.attempt === 0 ? now.begun : now.begun - 1);
}
