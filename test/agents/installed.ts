import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The agents that this lane installs from the package registry. */
export const agentNames = ['codex', 'claude', 'opencode', 'pi', 'gemini', 'copilot'] as const;
export type AgentName = (typeof agentNames)[number];

/** What is expected of one agent beside the rules that hold for all. */
export interface Expectation {
  /** Whether its event stream or its last words carry the provider's reset time; without it the window is probed (E6). */
  tellsReset: boolean;
}

export const expectations: { readonly [Name in AgentName]: Expectation } = {
  codex: { tellsReset: false },
  claude: { tellsReset: true },
  opencode: { tellsReset: true },
  pi: { tellsReset: true },
  gemini: { tellsReset: true },
  copilot: { tellsReset: true },
};

/** The folder of programs in a folder that npm installed into. */
export function programsOf(installed: string): string {
  const folder = join(installed, 'node_modules', '.bin');
  if (existsSync(folder)) return folder;
  throw new TypeError(`${folder} is missing. Run \`npm run test:agents\`, which installs the agents first.`);
}

/** `SETPOINT_AGENT_<NAME>` for each installed agent. */
export function programVariables(installed: string): Record<string, string> {
  const folder = programsOf(installed);
  return Object.fromEntries(agentNames.map((name) => [`SETPOINT_AGENT_${name.toUpperCase()}`, join(folder, name)]));
}
