import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes, messageOf } from '#cli/failure.ts';
import { tableLines } from '#cli/render/table.ts';

/** One agent as `workers/agents.js --json` tells it; that program prints an array of them. */
export const AgentFound = z.object({
  name: z.string(),
  installed: z.boolean(),
  version: z.string().nullish(),
  signedIn: z.enum(['yes', 'no', 'unknown']),
  path: z.string().nullish(),
  /** What to type to install it or to sign in. */
  remedy: z.string().nullish(),
});
export type AgentFound = z.infer<typeof AgentFound>;

const probeLimitMs = 30_000;

/** Which agents this machine has. Throws with exit code 5 when they cannot be probed. */
export async function probeAgents(context: CliContext, options: { check: boolean }): Promise<AgentFound[]> {
  const argv = [context.entry('workers/agents.js'), '--json', ...(options.check ? ['--check'] : [])];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: context.cwd, timeout: probeLimitMs });
    return z.array(AgentFound).parse(JSON.parse(stdout));
  } catch (error) {
    throw new CliFailure(exitCodes.infrastructure, `the agents cannot be probed: ${lastWords(error)}`, {
      remedy: 'check that setpoint is installed whole, then try again',
      cause: error,
    });
  }
}

/**
 * The agents that may work here: installed and not signed out, those that are signed in first. That they cannot be probed is
 * told by `say` and leaves none.
 */
export async function usableAgents(context: CliContext, say: (line: string) => void): Promise<AgentFound[]> {
  try {
    const agents = await probeAgents(context, { check: false });
    const usable = agents.filter((agent) => agent.installed && agent.signedIn !== 'no' && agent.name !== 'scripted');
    return usable.toSorted((a, b) => Number(b.signedIn === 'yes') - Number(a.signedIn === 'yes'));
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    say(error.message);
    return [];
  }
}

/** What a program that failed said itself, in one line; its whole stderr would hide it. */
function lastWords(error: unknown): string {
  const lines = messageOf(error).split('\n');
  return lines.find((line) => /^\w*Error: /.test(line)) ?? lines[0] ?? '';
}

/** `setpoint agents [--check]`: which coding agents are installed and signed in. */
export async function agentsCommand(
  context: CliContext,
  flags: { check?: boolean; json?: boolean },
): Promise<ExitCode> {
  const agents = await probeAgents(context, { check: flags.check ?? false });
  if (flags.json === true) {
    context.terminal.out(JSON.stringify(agents));
    return exitCodes.succeeded;
  }
  const rows = agents.map((agent) => [
    agent.name,
    agent.installed ? (agent.version ?? 'installed') : 'not found',
    agent.installed ? { yes: 'signed in', no: 'not signed in', unknown: 'unknown' }[agent.signedIn] : '-',
    whereOf(agent),
  ]);
  for (const line of tableLines([['AGENT', 'VERSION', 'SIGN-IN', 'WHERE'], ...rows])) context.terminal.out(line);
  return exitCodes.succeeded;
}

/** Its path, with how to sign in where that is to be done; of one that is missing, how it is installed. */
function whereOf({ path, remedy, signedIn }: AgentFound): string {
  const next = remedy ?? '';
  if (typeof path !== 'string') return next;
  if (signedIn === 'yes' || next === '') return path;
  return `${path} (${signedIn === 'no' ? 'sign in' : 'if it is not signed in'}: ${next})`;
}
