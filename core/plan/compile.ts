import type { Definition, WorkspaceDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt, hasErrors } from '#core/issue/issue.ts';
import { checkDelivery } from '#core/plan/check-delivery.ts';
import { checkInputs } from '#core/plan/check-inputs.ts';
import { checkLimits } from '#core/plan/check-limits.ts';
import { checkNotYet } from '#core/plan/check-not-yet.ts';
import { checkTemplates } from '#core/plan/check-templates.ts';
import { compileStep } from '#core/plan/compile-step.ts';
import { startCompiling } from '#core/plan/compiling.ts';
import type { DeliveryPlan, LimitsPlan, Plan, StepPlan, WorkspacePlan } from '#core/plan/plan.ts';

export type Compiled = { kind: 'plan'; plan: Plan; warnings: Issue[] } | { kind: 'issues'; issues: Issue[] };

const mostSteps = 10_000;

/**
 * Definition -> Plan: defaults filled (C1), graph and names checked, every loop with signal, route and limit.
 * All issues come at once, warnings among them; their paths are those of the long form (`steps.test.loop.to`), without
 * positions. Steps of the plan are in topological order, as written where that is one. Never throws.
 */
export function compile(definition: Definition): Compiled {
  if (definition.steps.length > mostSteps) {
    const message = `the definition has ${definition.steps.length} steps; a plan holds at most ${mostSteps}`;
    return { kind: 'issues', issues: [errorAt('steps', 'definition/too-many-steps', message)] };
  }
  const compiling = startCompiling(definition);
  const steps: StepPlan[] = [];
  for (const index of compiling.order) {
    const step = definition.steps[index];
    if (step !== undefined) steps.push(compileStep(compiling, step));
  }
  const plan: Plan = {
    semantics: 1,
    name: definition.name ?? defaults.name,
    project: definition.project ?? defaults.project,
    labels: definition.labels ?? [],
    inputs: definition.inputs ?? {},
    steps,
    limits: limitsOf(definition),
    workspace: workspaceOf(definition.workspace ?? {}),
    baseline: definition.baseline ?? defaults.baseline,
    deliver: deliveryOf(definition, steps),
  };
  checkInputs(compiling, plan);
  checkTemplates(compiling, plan);
  checkLimits(compiling, plan);
  checkDelivery(compiling, plan);
  checkNotYet(compiling, plan);
  if (hasErrors(compiling.issues)) return { kind: 'issues', issues: compiling.issues };
  return { kind: 'plan', plan, warnings: compiling.issues };
}

function limitsOf(definition: Definition): LimitsPlan {
  const limits = definition.limits ?? {};
  const exhausted = definition.onExhausted ?? 'fail';
  const time = limits.timeSeconds === undefined ? defaults.timeSeconds : limits.timeSeconds;
  return {
    ...(time === null ? {} : { timeSeconds: time }),
    ...(limits.deadlineSeconds === undefined ? {} : { deadlineSeconds: limits.deadlineSeconds }),
    ...(limits.spendUsd === undefined ? {} : { spendUsd: limits.spendUsd }),
    noProgress: limits.noProgress ?? defaults.noProgress,
    onTime: exhausted,
    // Money already spent is worth a question before the work is thrown away (C7).
    onSpend: exhausted === 'fail' ? 'pause' : exhausted,
  };
}

function workspaceOf(workspace: WorkspaceDefinition): WorkspacePlan {
  return { repo: defaults.repo, worktree: true, protect: [], keep: [], lane: 'run', ...present(workspace) };
}

/** Default `branch`; `none` when nothing of ours could change, or no worktree holds it (F4). */
function deliveryOf(definition: Definition, steps: readonly StepPlan[]): DeliveryPlan {
  const deliver = definition.deliver ?? {};
  const writes = steps.some((step) => !step.readOnly);
  const worktree = definition.workspace?.worktree ?? true;
  return { mode: writes && worktree ? 'branch' : 'none', ...present(deliver) };
}
