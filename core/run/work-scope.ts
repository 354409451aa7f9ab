import type { RenderScope, WorkPlace } from '#core/contract/activities.ts';
import { present } from '#core/definition/present.ts';
import { feedbackFor } from '#core/feedback/route.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { endOf } from '#core/run/handlers-end.ts';
import { planNow } from '#core/run/plan-now.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import { namedAnswers } from '#core/task/named-answers.ts';

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

export function workspaceOf(facts: RunFacts, state: RunState): WorkPlace {
  const { base, path, artifacts } = state.workspace;
  const { workspace } = facts.plan;
  const parent = state.parent === null ? {} : { parent: state.parent.runId };
  return {
    plan: workspace,
    path: path ?? workspace.repo,
    ...(base === null ? {} : { base }),
    ...(artifacts === undefined ? {} : { artifacts: { ...artifacts, ...parent } }),
  };
}

export function scopeOf(facts: RunFacts, state: RunState, step: StepPlan | undefined): RenderScope {
  const now = step === undefined ? undefined : stepOf(state, step.id);
  return {
    inputs: facts.inputs,
    outputs: outputsOf(state),
    ...namedOf(facts, state),
    ...answersOf(state),
    feedback: step === undefined || now === undefined ? [] : feedbackFor(step, state, now),
    ...present({ feedbackChars: facts.plan.limits.feedbackChars }),
    iteration: now === undefined ? 0 : reentries(now),
    run: runOf(facts, state),
    ...(now === undefined || now.found === null ? {} : { condition: now.found }),
  };
}

function runOf({ plan }: RunFacts, state: RunState): RenderScope['run'] {
  const { base, artifacts } = state.workspace;
  const named = plan.workspace.base ?? base?.commit;
  const status = state.handling === null ? undefined : endOf(plan, state, state.handling).kind;
  return { id: state.runId, name: plan.name, ...present({ base: named, artifacts: artifacts?.path, status }) };
}

/** What people answered in the pass that counts: a loop that asks them again clears it, all but the output (V-22). */
function answersOf(state: RunState): Pick<RenderScope, 'answers'> {
  const answers = Object.entries(state.steps).flatMap(([id, { task, pass, resultPass }]) => {
    const named = pass === resultPass ? namedAnswers(task) : {};
    return Object.entries(named).map(([name, text]) => [`${id}.outputs.${name}`, text] as const);
  });
  return answers.length === 0 ? {} : { answers: Object.fromEntries(answers) };
}

/** The outputs that a step names in the JSON of its output: every activity carries them all, so without its excerpt. */
function namedOf({ plan }: RunFacts, state: RunState): Pick<RenderScope, 'named'> {
  const named = plan.steps.flatMap(({ id, outputs = {} }) => {
    const output = state.steps[id]?.result?.output;
    if (output === undefined) return [];
    const of = { ...output, excerpt: '' };
    return Object.entries(outputs).map(([name, path]) => [`${id}.outputs.${name}`, { of, path }] as const);
  });
  return named.length === 0 ? {} : { named: Object.fromEntries(named) };
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
