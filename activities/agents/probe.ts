import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type InstalledAgentName, installedAgentNames } from '#core/agent/agent-name.ts';
import { Fault } from '#core/contract/fault.ts';
import type { AgentProbe } from '#activities/agents/adapter.ts';
import { findAgent, type Lookup } from '#activities/agents/locate.ts';
import { agents } from '#activities/agents/registry.ts';

export interface ProbedAgent {
  name: InstalledAgentName;
  installed: boolean;
  path?: string;
  /** Absent: it is installed, but did not say a version in time. */
  version?: string;
  signedIn: 'yes' | 'no' | 'unknown';
  /** What a person can do next: install it or sign in. Absent when it is ready. */
  remedy?: string;
}

export interface ProbeDeps {
  lookup: Lookup;
  /** Home of the host's user, where sign-in files are. */
  userHome: string;
  /** Runs a program without stdin, ends it after `timeoutMs`, and never rejects: a program that cannot run has exit code null. */
  exec(argv: [string, ...string[]], timeoutMs: number): Promise<{ exitCode: number | null; stdout: string }>;
  timeoutMs: number;
}

/** Which agents this host has, in the order of `auto`. All at once; each program is asked for at most `timeoutMs`. */
export async function probeAgents(deps: ProbeDeps): Promise<ProbedAgent[]> {
  return Promise.all(installedAgentNames.map((name) => probeAgent(name, deps)));
}

/** Whether one agent is there and signed in. */
async function probeAgent(name: InstalledAgentName, deps: ProbeDeps): Promise<ProbedAgent> {
  const { probe } = agents[name];
  const path = await findAgent(name, deps.lookup);
  if (path === undefined || probe === undefined) {
    return { name, installed: false, signedIn: 'unknown', ...(probe === undefined ? {} : { remedy: probe.install }) };
  }
  const [told, signedIn] = await Promise.all([
    deps.exec([path, ...probe.versionArguments], deps.timeoutMs),
    askSignIn(path, probe, deps),
  ]);
  const version = told.exitCode === 0 ? probe.version(told.stdout) : undefined;
  return {
    name,
    installed: true,
    path,
    ...(version === undefined ? {} : { version }),
    signedIn,
    ...(signedIn === 'yes' ? {} : { remedy: probe.signIn }),
  };
}

async function askSignIn(path: string, probe: AgentProbe, deps: ProbeDeps): Promise<ProbedAgent['signedIn']> {
  const { variables, files } = probe.signedInBy;
  if (variables.some((variable) => (deps.lookup(variable) ?? '') !== '')) return 'yes';
  const found = await Promise.all(files.map((file) => exists(join(deps.userHome, file))));
  if (found.includes(true)) return 'yes';
  if (probe.signInCommand === undefined) return 'unknown';
  const { exitCode } = await deps.exec([path, ...probe.signInCommand], deps.timeoutMs);
  if (exitCode === null) return 'unknown';
  return exitCode === 0 ? 'yes' : 'no';
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/**
 * What `auto` means on this host: the first agent that is installed and signed in, else the first whose sign-in
 * cannot be told from outside (a keychain).
 * @throws Fault `agent/not-found`, or `agent/not-authenticated` when one is installed but none is signed in.
 */
export function chooseAgent(probed: readonly ProbedAgent[]): ProbedAgent {
  const installed = probed.filter((agent) => agent.installed);
  const chosen =
    installed.find((agent) => agent.signedIn === 'yes') ?? installed.find((agent) => agent.signedIn === 'unknown');
  if (chosen !== undefined) return chosen;
  if (installed.length === 0) {
    throw new Fault(
      'agent/not-found',
      `No agent is installed on this host. Install one, for example: ${agents.codex.probe?.install ?? 'codex'}.`,
    );
  }
  const remedies = installed.map((agent) => `${agent.name}: ${agent.remedy ?? 'sign in'}`).join('; ');
  throw new Fault('agent/not-authenticated', `No installed agent is signed in. ${remedies}.`);
}
