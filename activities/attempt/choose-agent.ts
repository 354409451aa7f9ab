import { execFile } from 'node:child_process';
import { type AgentName, isAgentName } from '#core/agent/agent-name.ts';
import { Fault } from '#core/contract/fault.ts';
import type { AgentPlan } from '#core/agent/agent-plan.ts';
import { chooseAgent, type ProbeDeps, type ProbedAgent, probeAgents } from '#activities/agents/probe.ts';
import { findAgent, locateAgent } from '#activities/agents/locate.ts';

/** An agent as this host has it. */
export interface ChosenAgent {
  name: AgentName;
  executable: string;
}

/** The first start of some CLIs in a home takes seconds, and all are asked at once. */
const probeMs = 15_000;

/**
 * Which program works: the plan's agent, else the first of its fallbacks that this host has; `auto` is what `choose` takes,
 * the first one installed and signed in unless it says otherwise. Faults: `agent/not-found`, `agent/not-authenticated`.
 */
export async function chooseProgram(
  plan: AgentPlan,
  host: { environment: Readonly<Record<string, string>>; userHome: string },
  choose: (probed: readonly ProbedAgent[]) => ProbedAgent = chooseAgent,
): Promise<ChosenAgent> {
  const lookup = (variable: string) => host.environment[variable];
  for (const name of [plan.name, ...plan.fallback]) {
    if (name === 'auto') {
      const { name: chosen, path } = choose(await probeAgents(probeDeps(host)));
      return { name: chosen, executable: path ?? chosen };
    }
    if (!isAgentName(name)) continue;
    const executable = await findAgent(name, lookup, plan.custom);
    if (executable !== undefined) return { name, executable };
  }
  if (!isAgentName(plan.name)) throw new Fault('agent/not-found', `There is no agent called "${plan.name}".`);
  return { name: plan.name, executable: await locateAgent(plan.name, lookup, plan.custom) };
}

/** How this host asks its agents for their version and sign-in. */
export function probeDeps(host: { environment: Readonly<Record<string, string>>; userHome: string }): ProbeDeps {
  return {
    lookup: (variable) => host.environment[variable],
    userHome: host.userHome,
    timeoutMs: probeMs,
    exec: ([file, ...args], timeout) =>
      new Promise((done) => {
        const child = execFile(
          file,
          args,
          { timeout, env: host.environment, killSignal: 'SIGKILL' },
          (error, stdout) => {
            const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
            done({ exitCode: code, stdout });
          },
        );
        child.stdin?.end();
      }),
  };
}
