import { randomBytes } from 'node:crypto';
import { type Stack, type StackProcess, StackRole } from '#core/contract/stack.ts';
import type { Config } from '#infra/config.ts';
import { freePort } from '#infra/stack/free-port.ts';
import { ensureSecretsKey } from '#infra/secrets/secrets-key.ts';
import { ensureToken, tokenFile } from '#infra/stack/home-layout.ts';
import type { ProcessIdentity } from '#infra/stack/process-identity.ts';
import { livingProcess } from '#infra/stack/stack-file.ts';

/** What a stack is to be, before any of its processes starts. */
export interface StackPlan {
  home: string;
  url: string;
  token: string;
  temporalAddress: string;
  temporalNamespace: string;
  databaseUrl: string;
  /** Roles that the settings place elsewhere: not ours to start. */
  external: readonly StackRole[];
  kept: Stack['kept'];
}

const host = '127.0.0.1';
const defaultPort = 4747;

/**
 * Decides addresses from the settings and from what stack.json said last. A recorded port is kept while it is free or held
 * by the process that was left on it; only the API's changes when the settings ask for another.
 */
export async function planStack(config: Config, last: Stack | undefined): Promise<StackPlan> {
  const { ports, databasePassword, databaseFolder } = await whatIsKept(config, last);
  const external: StackRole[] = [];
  if (config.secretsKey === undefined) ensureSecretsKey(config.home);
  if (config.temporalAddress !== undefined) external.push('temporal');
  if (config.databaseUrl !== undefined) external.push('postgres');
  return {
    home: config.home,
    url: `http://${host}:${ports.api}`,
    token: ensureToken(config.home),
    temporalAddress: config.temporalAddress ?? `${host}:${ports.temporal}`,
    temporalNamespace: config.temporalNamespace,
    databaseUrl: config.databaseUrl ?? `postgres://setpoint:${databasePassword}@${host}:${ports.postgres}/setpoint`,
    external,
    kept: { ports, databasePassword, databaseFolder },
  };
}

/**
 * The first content of stack.json: nothing runs yet but the supervisor and what is to be adopted. The latter stays on
 * record from the first moment: a supervisor that ends before it has adopted them must not make them unfindable.
 */
export function plannedStack(plan: StackPlan, supervisor: ProcessIdentity, last?: Stack): Stack {
  const since = new Date().toISOString();
  const processes = StackRole.options.map((role): StackProcess => {
    if (role === 'supervisor') return { role, ...supervisor, state: 'starting', since };
    const { pid, startMark } = adoptable(plan, last, role) ?? { pid: null, startMark: null };
    return { role, pid, startMark, state: plan.external.includes(role) ? 'external' : 'starting', since };
  });
  const { url, home, temporalAddress, temporalNamespace, databaseUrl, kept } = plan;
  const addresses = { url, home, tokenFile: tokenFile(home), temporalAddress, temporalNamespace, databaseUrl };
  return { version: 1, ...addresses, processes, kept };
}

/**
 * The process of a role that a killed supervisor left, when it still serves what the plan says: the same settings of
 * addresses. Any other leftover must end.
 */
export function adoptable(plan: StackPlan, last: Stack | undefined, role: StackRole): ProcessIdentity | undefined {
  if (last === undefined || plan.external.includes(role)) return undefined;
  const same =
    last.url === plan.url &&
    last.temporalAddress === plan.temporalAddress &&
    last.temporalNamespace === plan.temporalNamespace &&
    last.databaseUrl === plan.databaseUrl;
  return same ? livingProcess(last, role) : undefined;
}

async function whatIsKept(config: Config, last: Stack | undefined): Promise<Stack['kept']> {
  const apiPort = config.port === defaultPort ? last?.kept.ports.api : undefined;
  const ports = {
    api: await portFor(last, 'api', apiPort ?? config.port),
    temporal: await portFor(last, 'temporal', last?.kept.ports.temporal),
    postgres: await portFor(last, 'postgres', last?.kept.ports.postgres),
  };
  const made = { databasePassword: randomBytes(24).toString('hex'), databaseFolder: null };
  return { ...made, ...last?.kept, ports };
}

async function portFor(
  last: Stack | undefined,
  role: keyof Stack['kept']['ports'],
  wanted: number | undefined,
): Promise<number> {
  const isHeldByOurs = wanted === last?.kept.ports[role] && livingProcess(last, role) !== undefined;
  if (isHeldByOurs && wanted !== undefined) return wanted;
  return freePort(wanted);
}
