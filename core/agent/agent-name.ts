/** Every agent that a definition may name. A new agent is one line here and one adapter in `activities/agents`. */
export const agentNames = [
  'codex',
  'claude',
  'opencode',
  'pi',
  'cursor',
  'gemini',
  'copilot',
  'amp',
  'goose',
  'aider',
  'custom',
  'scripted',
] as const;

export type AgentName = (typeof agentNames)[number];

/** Agents that only work as the definition writes them, so `auto` never picks one and no host looks for one. */
type WrittenAgentName = 'custom' | 'scripted';

/** An agent that is a program of its own on a host. */
export type InstalledAgentName = Exclude<AgentName, WrittenAgentName>;

export function isAgentName(text: string): text is AgentName {
  return (agentNames as readonly string[]).includes(text);
}

/** What `auto` tries, in this order. */
export const installedAgentNames: readonly InstalledAgentName[] = agentNames.filter(
  (name): name is InstalledAgentName => name !== 'custom' && name !== 'scripted',
);
