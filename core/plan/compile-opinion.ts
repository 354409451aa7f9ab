import type { AgentPlan } from '#core/agent/agent-plan.ts';
import type { CheckPlanOf } from '#core/check/check-plan.ts';
import type { CheckDefinition, StepDefinition } from '#core/definition/definition.ts';
import { warningAt } from '#core/issue/issue.ts';
import { compileAgent } from '#core/plan/compile-agent.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { checkPath } from '#core/plan/compiling.ts';

type ReviewDefinition = Extract<CheckDefinition, { kind: 'review' }>;

/** Agents of one name are of one provider; these have none, or are chosen on the host, which prefers another one (B5). */
const withoutProvider: ReadonlySet<string> = new Set(['auto', 'custom', 'scripted']);

/** Who reviews the work of a step: another provider's agent than the one that did it, where the definition says which. */
export function compileReviewer(
  compiling: Compiling,
  step: StepDefinition,
  review: ReviewDefinition,
  path: string,
): AgentPlan {
  const agent = compileAgent(compiling, `${path}.review.agent`, review.agent ?? { name: 'auto' });
  const implementer = step.work.kind === 'agent' ? step.work.agent.name : undefined;
  if (agent.name === implementer && !withoutProvider.has(agent.name)) {
    const message = `\`${agent.name}\` reviews its own provider's work and shares its blind spots; name another agent, or \`auto\``;
    compiling.issues.push(warningAt(`${path}.review.agent`, 'review/same-provider', message));
  }
  return agent;
}

/** A report is the agent's own word (B7): it lies in the workspace, and something else must hold, too. */
export function checkReport(
  compiling: Compiling,
  step: StepDefinition,
  path: string,
  report: Pick<CheckPlanOf<'report'>, 'file' | 'wants'>,
): void {
  const { file, wants } = report;
  const named = [['file', file] as const, ...(wants.kind === 'artifact' ? [['artifact', wants.path] as const] : [])];
  for (const [key, written] of named) {
    checkPath(compiling, `${path}.report.${key}`, written);
  }
  const judged = step.work.kind === 'run' || step.checks.some(({ kind }) => isHardSignal[kind]);
  if (judged) return;
  const message = "a report is the agent's own word; add a check that something else decides, such as a command";
  compiling.issues.push(warningAt(`${path}.report`, 'report/alone', message));
}

const isHardSignal: Readonly<Record<CheckDefinition['kind'], boolean>> = {
  command: true,
  match: true,
  schema: true,
  review: false,
  report: false,
};
