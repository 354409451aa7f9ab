import type { Answer } from './conversation.ts';

type ShellArguments = (command: string) => Record<string, unknown>;

const limitMs = 600_000;

/** How each agent's shell tool wants its command. */
const shellTools: readonly (readonly [string, ShellArguments])[] = [
  ['exec_command', (cmd) => ({ cmd, yield_time_ms: 300_000 })],
  ['shell', (command) => ({ command: ['bash', '-lc', command] })],
  ['shell_command', (command) => ({ command })],
  ['Bash', (command) => ({ command, description: 'run', timeout: limitMs })],
  ['bash', (command) => ({ command, description: 'run', timeout: limitMs })],
  ['run_shell_command', (command) => ({ command, description: 'run' })],
];

/** A call of the agent's own shell tool; undefined when it offers none. */
export function shellCall(tools: readonly string[], command: string): Answer | undefined {
  const found = shellTools.find(([name]) => tools.includes(name));
  return found === undefined ? undefined : { kind: 'tool', name: found[0], arguments: found[1](command) };
}
