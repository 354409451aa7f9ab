import type { AgentPlan } from '#core/agent/agent-plan.ts';
import { errorAt, type Issue, warningAt } from '#core/issue/issue.ts';
import type { Callee, CallGraph } from '#core/plan/call-graph.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { everyStep } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';

/** They tell neither cost nor tokens (R047): their adapters say `reportsUsage: 'none'`. */
const tellNoSpend: ReadonlySet<string> = new Set(['cursor', 'copilot', 'amp', 'goose', 'aider', 'custom']);

/** Every loop has a bound (C1), and every limit that is set can hold (E7). */
export function checkLimits(compiling: Compiling, plan: Plan): void {
  const { limits } = plan;
  const bounded = [limits.timeSeconds, limits.deadlineSeconds, limits.spendUsd].some((limit) => limit !== undefined);
  for (const step of plan.steps) {
    // The person is the limit of a question (C1, D3).
    if (step.work.kind !== 'person' && step.loop?.limit === null && !bounded) {
      const message = `the loop of \`${step.id}\` has no bound; give it a \`limit\`, or the run a \`time\`, \`deadline\` or \`spend\` limit`;
      compiling.issues.push(errorAt(`steps.${step.id}.loop.limit`, 'loop/unbounded', message));
    }
  }
  const { passes } = compiling.definition.limits ?? {};
  const bounds = compiling.definition.steps.some((step) => step.loop !== undefined && step.loop.limit === undefined);
  if (passes !== undefined && !bounds) {
    const message = '`limits.passes` bounds nothing: no loop takes its limit from it; add a `loop` or remove `passes`';
    compiling.issues.push(warningAt('limits.passes', 'limit/no-loop', message));
  }
  if (limits.spendUsd !== undefined) checkSpend(compiling, everyStep(plan));
}

function checkSpend(compiling: Compiling, steps: readonly StepPlan[]): void {
  for (const step of steps) {
    const silent = agentsOf(step).map(silentAgent).find(isNamed);
    if (silent === undefined) continue;
    const message = `a spend limit cannot hold: agent \`${silent}\` of step \`${step.id}\` reports neither cost nor tokens; use another agent, or limit passes and time`;
    compiling.issues.push(errorAt('limits.spend', 'limit/cannot-bind', message));
  }
}

/**
 * The spend of child runs counts in whoever calls them, so their agents must tell it, too. Each plan once, callees
 * before callers.
 */
export function checkCalledSpend({ order }: CallGraph, plans: ReadonlyMap<Callee, Plan>): [Callee, Issue][] {
  const silents = new Map<Callee, string>();
  return order.flatMap((callee): [Callee, Issue][] => {
    const plan = plans.get(callee);
    const own = (plan === undefined ? [] : everyStep(plan)).flatMap(agentsOf).map(silentAgent).find(isNamed);
    const called = [...callee.callees.values()].map((each) => silents.get(each)).find(isNamed);
    const silent = own ?? called;
    if (silent !== undefined) silents.set(callee, silent);
    if (called === undefined || plan?.limits.spendUsd === undefined) return [];
    const message = `a spend limit cannot hold: agent \`${called}\` of a definition that is called reports neither cost nor tokens; use another agent there, or limit passes and time`;
    return [[callee, errorAt('limits.spend', 'limit/cannot-bind', message)]];
  });
}

function isNamed(name: string | undefined): name is string {
  return name !== undefined;
}

function agentsOf({ work, checks }: StepPlan): AgentPlan[] {
  const reviewers = checks.flatMap((check) => (check.kind === 'review' ? [check.agent] : []));
  return work.kind === 'agent' ? [work.agent, ...reviewers] : reviewers;
}

function silentAgent(agent: AgentPlan): string | undefined {
  return [agent.name, ...agent.fallback].find((name) => tellNoSpend.has(name));
}
