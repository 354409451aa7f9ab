import { agentNames, installedAgentNames, isAgentName } from '#core/agent/agent-name.ts';
import { argumentProblem } from '#core/agent/reserved-arguments.ts';
import { defaults } from '#core/definition/defaults.ts';
import type { AgentDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { suggest } from '#core/plan/compiling.ts';
import type { AgentPlan } from '#core/agent/agent-plan.ts';

const namesAndAuto = ['auto', ...agentNames] as const;

/** The agent of a step, its name and fallbacks checked. */
export function compileAgent(compiling: Compiling, path: string, agent: AgentDefinition): AgentPlan {
  checkName(compiling, path, agent.name);
  checkWritten(compiling, path, agent);
  for (const name of agent.fallback ?? []) checkFallback(compiling, `${path}.fallback`, name);
  const { name, model, effort, args, session = 'fresh', quietSeconds = defaults.agentQuietSeconds } = agent;
  return {
    name,
    ...present({ model, effort, args }),
    session,
    fallback: [...new Set(agent.fallback)],
    ...(quietSeconds === null ? {} : { quietSeconds }),
    ...(agent.custom === undefined
      ? {}
      : {
          custom: {
            command: agent.custom.command,
            prompt: agent.custom.prompt ?? 'stdin',
            output: agent.custom.output ?? 'text',
          },
        }),
    ...(agent.scripted === undefined ? {} : { scripted: agent.scripted }),
  };
}

function checkName(compiling: Compiling, path: string, name: string): void {
  if (name === 'auto' || isAgentName(name)) return;
  const hint = suggest(compiling.issues, name, namesAndAuto) || `; known are ${namesAndAuto.join(', ')}`;
  compiling.issues.push(errorAt(path, 'agent/unknown', `there is no agent \`${name}\`${hint}`));
}

function checkFallback(compiling: Compiling, path: string, name: string): void {
  if (installedAgentNames.some((installed) => installed === name)) return;
  const known = installedAgentNames.join(', ');
  const message =
    isAgentName(name) || name === 'auto'
      ? `\`${name}\` cannot be a fallback; name one of ${known}`
      : `there is no agent \`${name}\`${suggest(compiling.issues, name, installedAgentNames) || `; known are ${known}`}`;
  compiling.issues.push(errorAt(path, 'agent/unknown', message));
}

function checkWritten(compiling: Compiling, path: string, agent: AgentDefinition): void {
  if (agent.name === 'custom' && agent.custom === undefined) {
    compiling.issues.push(errorAt(path, 'agent/incomplete', 'a `custom` agent needs `command: [program, argument…]`'));
  }
  if (agent.name === 'scripted' && agent.scripted === undefined) {
    const message = 'a `scripted` agent needs `passes: ["shell for pass 1", …]`';
    compiling.issues.push(errorAt(path, 'agent/incomplete', message));
  }
  if (agent.name !== 'custom' && agent.custom !== undefined) {
    const message = `\`command\`, \`prompt\` and \`output\` belong to the agent \`custom\`, not to \`${agent.name}\``;
    compiling.issues.push(errorAt(path, 'definition/conflict', message));
  }
  checkArguments(compiling, path, agent);
  if (agent.name !== 'scripted' && agent.scripted !== undefined) {
    const message = `\`passes\` belongs to the agent \`scripted\`, not to \`${agent.name}\``;
    compiling.issues.push(errorAt(path, 'definition/conflict', message));
  }
}

/** What would undo the containment, or the form of the output that is read, is refused while it costs nothing (T-02). */
function checkArguments(compiling: Compiling, path: string, { name, args = [] }: AgentDefinition): void {
  const message = args.length === 0 ? undefined : argumentsProblem(name, args);
  if (message !== undefined) compiling.issues.push(errorAt(`${path}.args`, 'definition/conflict', message));
}

function argumentsProblem(name: string, args: readonly string[]): string | undefined {
  if (name === 'auto') return '`args` are those of one CLI; name the agent in place of `auto`';
  if (name === 'custom') return '`args` does not belong to `custom`: `command` holds the arguments';
  if (name === 'scripted') return '`args` does not belong to `scripted`: its passes are shell commands';
  const installed = installedAgentNames.find((known) => known === name);
  return installed === undefined ? undefined : argumentProblem(installed, args);
}
