import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { Fault } from '#core/contract/fault.ts';
import type { AgentName } from '#core/agent/agent-name.ts';
import type { CustomAgent } from '#activities/agents/adapter.ts';
import { agents } from '#activities/agents/registry.ts';

/** Reads one variable of the host's environment. */
export type Lookup = (variable: string) => string | undefined;

/** `SETPOINT_AGENT_CODEX`, which names the program to use instead of the one on PATH. */
function programVariable(name: AgentName): string {
  return `SETPOINT_AGENT_${name.toUpperCase()}`;
}

/**
 * The absolute path of an agent's program: `SETPOINT_AGENT_<NAME>`, else PATH.
 * @throws Fault `agent/not-found` that names the command to install it.
 */
export async function locateAgent(name: AgentName, lookup: Lookup, custom?: CustomAgent): Promise<string> {
  const path = await findAgent(name, lookup, custom);
  if (path !== undefined) return path;
  const chosen = lookup(programVariable(name));
  if (chosen !== undefined && chosen !== '') {
    throw new Fault(
      'agent/not-found',
      `${programVariable(name)} is "${chosen}", which is no executable file. Correct it or unset it.`,
    );
  }
  const program = programOf(name, custom);
  const install = agents[name].probe?.install;
  const remedy = install === undefined ? `Install "${program}"` : `Install it with: ${install}`;
  throw new Fault(
    'agent/not-found',
    `The agent ${name} ("${program}") is not on this host's PATH. ${remedy}; or set ${programVariable(name)} to its path.`,
  );
}

/** As `locateAgent`, but a missing program is undefined. */
export async function findAgent(name: AgentName, lookup: Lookup, custom?: CustomAgent): Promise<string | undefined> {
  const chosen = lookup(programVariable(name));
  const program = chosen === undefined || chosen === '' ? programOf(name, custom) : chosen;
  return program === '' ? undefined : findProgram(program, lookup('PATH') ?? '');
}

function programOf(name: AgentName, custom: CustomAgent | undefined): string {
  return name === 'custom' ? (custom?.command[0] ?? '') : agents[name].program;
}

/** A program with a slash is a path; any other is looked for in each directory of `searchPath`. */
async function findProgram(program: string, searchPath: string): Promise<string | undefined> {
  if (program.includes('/')) return (await isExecutable(program)) ? resolve(program) : undefined;
  // Relative entries are skipped: they would mean another directory in the agent's workspace.
  for (const directory of searchPath.split(delimiter).filter(isAbsolute)) {
    const candidate = join(directory, program);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
