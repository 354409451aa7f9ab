import type { AgentPlan } from '#core/agent/agent-plan.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';

import { type AgentFound, probeAgents } from '#cli/commands/agents.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes } from '#cli/failure.ts';

/**
 * The installed agents that a plan would use on this machine, each once. Throws with exit code 5 when one of them is not
 * there; nothing is asked where a plan needs none.
 */
export async function requireAgents(context: CliContext, plan: Plan): Promise<string[]> {
  const wanted = agentsOf(plan).filter(({ name }) => name !== 'custom' && name !== 'scripted');
  if (wanted.length === 0) return [];
  const found = await probeAgents(context, { check: false });
  return [...new Set(wanted.map((agent) => usedBy(agent, found)))];
}

/** Those of steps, of handlers, of reviews and of what is called. */
function agentsOf({ steps, handlers = {}, children = {} }: Plan): AgentPlan[] {
  const own = [...steps, ...Object.values(handlers)].flatMap((step) => (step === undefined ? [] : agentsOfStep(step)));
  return [...own, ...Object.values(children).flatMap(agentsOf)];
}

function agentsOfStep({ work, checks }: StepPlan): AgentPlan[] {
  const reviewers = checks.flatMap((check) => (check.kind === 'review' ? [check.agent] : []));
  return work.kind === 'agent' ? [work.agent, ...reviewers] : reviewers;
}

/** The first of an agent and its fallbacks that is installed, as a host chooses it. */
function usedBy({ name, fallback }: AgentPlan, found: readonly AgentFound[]): string {
  const installed = found.filter((agent) => agent.installed);
  for (const wanted of [name, ...fallback]) {
    const there = wanted === 'auto' ? chosen(installed) : installed.find((agent) => agent.name === wanted);
    if (there !== undefined) return there.name;
  }
  if (name === 'auto') {
    throw new CliFailure(exitCodes.infrastructure, 'no agent is installed and signed in on this machine', {
      remedy: 'setpoint agents --check shows what is missing, or name an agent with --agent',
    });
  }
  const remedy = found.find((agent) => agent.name === name)?.remedy ?? 'setpoint agents lists those that are there';
  throw new CliFailure(
    exitCodes.infrastructure,
    `the agent ${name} is not installed on this machine (agent/not-found)`,
    {
      remedy,
    },
  );
}

/** Of what `auto` may take: one that is signed in, else one of which that cannot be told. */
function chosen(installed: readonly AgentFound[]): AgentFound | undefined {
  const by = (state: AgentFound['signedIn']) => installed.find(({ signedIn }) => signedIn === state);
  return by('yes') ?? by('unknown');
}
