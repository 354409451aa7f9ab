import type { Definition, WorkspaceDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt, hasErrors } from '#core/issue/issue.ts';
import type { Callee, CallGraph, Library } from '#core/plan/call-graph.ts';
import { callGraph, callPathTo, namesInScope } from '#core/plan/call-graph.ts';
import { checkCalls, mostSteps } from '#core/plan/check-calls.ts';
import { checkCallback } from '#core/plan/check-callback.ts';
import { checkDelivery } from '#core/plan/check-delivery.ts';
import { checkInputs, checkOutputs } from '#core/plan/check-inputs.ts';
import { checkKept } from '#core/plan/check-kept.ts';
import { checkCalledSpend, checkLimits } from '#core/plan/check-limits.ts';
import { checkNotYet } from '#core/plan/check-not-yet.ts';
import { checkSize, checkStepCount } from '#core/plan/check-size.ts';
import { checkTemplates } from '#core/plan/check-templates.ts';
import { checkTriggers } from '#core/plan/check-triggers.ts';
import { compileHandlers } from '#core/plan/compile-handlers.ts';
import { compileStep } from '#core/plan/compile-step.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { startCompiling } from '#core/plan/compiling.ts';
import type { DeliveryPlan, LimitsPlan, Plan, StepPlan, WorkspacePlan } from '#core/plan/plan.ts';

export type Compiled = { kind: 'plan'; plan: Plan; warnings: Issue[] } | { kind: 'issues'; issues: Issue[] };

export interface CompileOptions {
  /** What a call may name beside the definitions written inside this one: those stored in its project. */
  library?: Library;
  /** `warning`: where the library is not at hand, only the server can say whether a called definition exists. */
  unknownCalls?: 'error' | 'warning';
}

/**
 * Definition -> Plan: defaults filled (C1), graph and names checked, every loop with signal, route and limit; the plans
 * of all that it calls are frozen in it. All issues come at once, warnings among them; their paths are those of the long
 * form (`steps.test.loop.to`), without positions. Steps of the plan are in topological order, as written where that is
 * one. Never throws.
 */
export function compile(definition: Definition, options: CompileOptions = {}): Compiled {
  const { library = {}, unknownCalls = 'error' } = options;
  const graph = callGraph(definition, library);
  const tooMany = graph.order.flatMap((callee) => tooManySteps(callee));
  const tooLarge = tooMany.length > 0 ? tooMany : checkStepCount(definition.steps.length);
  if (tooLarge.length > 0) return { kind: 'issues', issues: tooLarge };
  const issues: Issue[] = [];
  const plans = new Map<Callee, Plan>();
  for (const callee of graph.order) {
    const compiling = startCompiling({ callee, unknownCalls, callable: () => namesInScope(callee, library) });
    plans.set(callee, planOf(compiling, graph, plans));
    issues.push(...placedIn(graph, callee, compiling.issues));
  }
  for (const [callee, issue] of checkCalledSpend(graph, plans)) issues.push(...placedIn(graph, callee, [issue]));
  issues.push(...checkCalls(graph));
  const plan = plans.get(graph.root);
  if (plan === undefined || hasErrors(issues)) return { kind: 'issues', issues };
  const size = checkSize(plan);
  if (size.length > 0) return { kind: 'issues', issues: [...issues, ...size] };
  return { kind: 'plan', plan, warnings: issues };
}

function tooManySteps({ definition, prefix }: Callee): Issue[] {
  if (definition.steps.length <= mostSteps) return [];
  const message = `the definition has ${definition.steps.length} steps; a plan holds at most ${mostSteps}`;
  return [errorAt(`${prefix}steps`, 'definition/too-many-steps', message)];
}

function planOf(compiling: Compiling, graph: CallGraph, plans: ReadonlyMap<Callee, Plan>): Plan {
  const { callee, definition } = compiling;
  const isChild = callee !== graph.root;
  const { outputs, keepBetweenRuns, callback, artifacts, on, handlers } = definition;
  const steps: StepPlan[] = [];
  for (const index of compiling.order) {
    const step = definition.steps[index];
    if (step !== undefined) steps.push(compileStep(compiling, step));
  }
  const plan: Plan = {
    semantics: 1,
    name: definition.name ?? (isChild ? callee.name : defaults.name),
    project: definition.project ?? graph.root.definition.project ?? defaults.project,
    labels: definition.labels ?? [],
    inputs: definition.inputs ?? {},
    steps,
    limits: limitsOf(definition),
    workspace: workspaceOf(definition.workspace ?? {}),
    baseline: definition.baseline ?? defaults.baseline,
    deliver: deliveryOf(definition, steps, isChild),
    ...present({ outputs, keepBetweenRuns, callback, artifacts, on, children: childrenOf(callee, plans) }),
    ...(handlers === undefined ? {} : { handlers: compileHandlers(compiling, handlers) }),
  };
  checkInputs(compiling, plan);
  checkOutputs(compiling);
  checkTemplates(compiling, plan);
  checkLimits(compiling, plan);
  checkDelivery(compiling, plan);
  checkKept(compiling, plan);
  compiling.issues.push(...checkCallback(plan));
  checkTriggers(compiling, definition);
  checkNotYet(compiling, plan);
  return plan;
}

/** One that is missing is in a circle of calls, which is an issue. */
function childrenOf({ callees }: Callee, plans: ReadonlyMap<Callee, Plan>): Record<string, Plan> | undefined {
  const children = [...callees].flatMap(([name, callee]) => {
    const plan = plans.get(callee);
    return plan === undefined ? [] : [[name, plan] as const];
  });
  return children.length === 0 ? undefined : Object.fromEntries(children);
}

/** Issues of a stored definition are told where it is called; what is only worth a warning was said when it was stored. */
function placedIn(graph: CallGraph, callee: Callee, issues: readonly Issue[]): Issue[] {
  const { stored, name, prefix } = callee;
  if (!stored) return issues.map((issue) => ({ ...issue, path: `${prefix}${issue.path}` }));
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return [];
  const path = callPathTo(graph, callee);
  return errors.map((issue) => {
    const message = `the stored definition \`${name}\`: ${prefix}${issue.path}: ${issue.message}`;
    return { ...issue, path, message };
  });
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
    ...(limits.feedbackChars === undefined ? {} : { feedbackChars: limits.feedbackChars }),
    onTime: exhausted,
    // Money already spent is worth a question before the work is thrown away (C7).
    onSpend: exhausted === 'fail' ? 'pause' : exhausted,
  };
}

function workspaceOf(workspace: WorkspaceDefinition): WorkspacePlan {
  return { repo: defaults.repo, worktree: true, protect: [], keep: [], lane: 'run', ...present(workspace) };
}

/**
 * Default `branch`; `none` when nothing of ours could change, no worktree holds it (F4), or a parent run decides what is
 * delivered.
 */
function deliveryOf(definition: Definition, steps: readonly StepPlan[], isChild: boolean): DeliveryPlan {
  const deliver = definition.deliver ?? {};
  const writes = steps.some(({ readOnly, work }) => !readOnly && (work.kind === 'agent' || work.kind === 'run'));
  const worktree = definition.workspace?.worktree ?? true;
  return { mode: writes && worktree && !isChild ? 'branch' : 'none', ...present(deliver) };
}
