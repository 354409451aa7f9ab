import type { AgentPlan } from '#core/agent/agent-plan.ts';
import { chooseAgent, type ProbedAgent } from '#activities/agents/probe.ts';
import { type ChosenAgent, chooseProgram } from '#activities/attempt/choose-agent.ts';

/** Who reviews; `note` says that `auto` found nobody but the implementer's own provider (B5). */
export interface ChosenReviewer {
  chosen: ChosenAgent;
  note?: string;
}

/**
 * The plan's agent; `auto` prefers one that is installed and signed in and is not the implementer, whose provider shares
 * its blind spots. Faults: `agent/not-found`, `agent/not-authenticated`.
 */
export async function chooseReviewer(
  plan: AgentPlan,
  implementer: string | undefined,
  host: { environment: Readonly<Record<string, string>>; userHome: string },
): Promise<ChosenReviewer> {
  let note: string | undefined;
  const chosen = await chooseProgram(plan, host, (probed) => {
    const reviewer = preferOther(probed, implementer);
    if (reviewer.name === implementer) note = sameProvider(reviewer.name);
    return reviewer;
  });
  return { chosen, ...(note === undefined ? {} : { note }) };
}

function sameProvider(name: string): string {
  return `same_provider: ${name} reviewed the work of ${name}; no other agent is installed and signed in on this host`;
}

/** One that is signed in goes before one that may be. */
export function preferOther(probed: readonly ProbedAgent[], implementer: string | undefined): ProbedAgent {
  const others = probed.filter(({ name }) => name !== implementer);
  const ready = others.find(({ installed, signedIn }) => installed && signedIn === 'yes');
  return ready ?? chooseAgent(probed);
}
