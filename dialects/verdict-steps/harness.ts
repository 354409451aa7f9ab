import type { InstalledAgentName } from '#core/agent/agent-name.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import type { Field } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

/** Harnesses by their id, and by the name of the program that some files write in its place. */
const agents: Readonly<Record<string, InstalledAgentName>> = {
  codex: 'codex',
  claude: 'claude',
  'claude-code': 'claude',
  gemini: 'gemini',
  'gemini-cli': 'gemini',
  cursor: 'cursor',
  'cursor-agent': 'cursor',
  copilot: 'copilot',
  'copilot-cli': 'copilot',
  opencode: 'opencode',
  amp: 'amp',
  goose: 'goose',
  aider: 'aider',
  pi: 'pi',
};

/** Harnesses that call a model's API and change no file. */
const apis: ReadonlySet<string> = new Set(['openai', 'anthropic', 'google', 'openrouter', 'azure', 'ollama', 'api']);

function isApi(id: string): boolean {
  return apis.has(id) || id.endsWith('-api') || id.startsWith('api-');
}

/** The agent that a harness stands for. */
export const harness: Field<InstalledAgentName> = (node, path, reading) => {
  const id = text(node, path, reading);
  if (id === undefined) return undefined;
  const agent = Object.hasOwn(agents, id) ? agents[id] : undefined;
  if (agent !== undefined) return agent;
  if (isApi(id)) {
    const message = `\`${id.slice(0, 80)}\` calls a model's API, and Setpoint runs agents that work in the repository; name one of them, such as \`claude\`, or write a \`shell\` step that calls the API`;
    reading.report(path, 'dialect/not-run', message);
    return undefined;
  }
  const hint = didYouMean(id, Object.keys(agents)) || `; known are ${[...new Set(Object.values(agents))].join(', ')}`;
  const other = 'a program of your own is `agent: {name: custom, command: […]}` in the native form';
  reading.report(path, 'agent/unknown', `there is no harness \`${id.slice(0, 80)}\`${hint}; ${other}`);
  return undefined;
};
