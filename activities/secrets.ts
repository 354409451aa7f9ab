import type { AgentReport } from '#core/agent/outcome.ts';
import { Fault } from '#core/contract/fault.ts';
import { redactText } from '#core/text/redact.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import { agents } from '#activities/agents/registry.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { ContainedResult } from '#infra/process/contained-spec.ts';
import { checkedSecrets } from '#infra/process/environment.ts';

/** The host's variables of these names that are set, as secrets that a process is given (H4). */
export function hostSecrets(environment: Readonly<Record<string, string>>, names: readonly string[]): Secret[] {
  return names.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === '' ? [] : [{ name, value }];
  });
}

type Resolving = Pick<HostDeps, 'environment' | 'secrets' | 'hostId'>;

/**
 * What a step is granted (H4): each name is a variable of the host, else a stored secret of the run's project. Faults:
 * `secret/not-found` when one is neither, `secret/no-key`, `schema/invalid` when a value is too short to be hidden,
 * `store/unavailable`.
 */
export async function grantedSecrets(deps: Resolving, runId: string, names: readonly string[]): Promise<Secret[]> {
  const ofHost = hostSecrets(deps.environment, names);
  const others = names.filter((name) => !ofHost.some((secret) => secret.name === name));
  const stored = others.length === 0 ? [] : await deps.secrets.ofRun(runId, others);
  const missing = others.filter((name) => !stored.some((secret) => secret.name === name));
  if (missing.length > 0) throw notFound(deps.hostId, missing);
  return [...checkedSecrets([...ofHost, ...stored])];
}

/** Every secret that any step of the run will ask for is there, so that no work is paid for in vain. Faults as `grantedSecrets`. */
export async function requireSecrets(deps: Resolving, runId: string): Promise<void> {
  await grantedSecrets(deps, runId, await deps.secrets.namedByRun(runId));
}

function notFound(hostId: string, missing: readonly string[]): Fault {
  const [first = ''] = missing;
  const which = missing.length === 1 ? `The secret ${first} is` : `The secrets ${missing.join(', ')} are`;
  return new Fault(
    'secret/not-found',
    `${which} neither set on host ${hostId} nor stored for the project of this run. Store it: setpoint secrets set ${first}. Then retry the run.`,
  );
}

const signInNames = Object.values(agents).flatMap(({ secretNames }) => secretNames);

/**
 * What is hidden in all that a process says, whichever process it is (H4): the sign-in of every agent, and what the
 * step was granted. An agent can leave its key in the work, where a check that was given nothing prints it.
 */
export function hiddenSecrets(environment: Readonly<Record<string, string>>, granted: readonly Secret[]): Secret[] {
  const signIns = hostSecrets(environment, [...new Set(signInNames)]);
  return [...signIns.filter(({ name }) => !granted.some((secret) => secret.name === name)), ...granted];
}

/** A report of an agent, whose parser saw the raw stream, as it may be stored and told. */
export function redactedReport(report: AgentReport, hidden: readonly Secret[]): AgentReport {
  const { sessionId, finalText, error, denials } = report;
  return {
    ...report,
    ...(sessionId === undefined ? {} : { sessionId: redactText(sessionId, hidden) }),
    ...(finalText === undefined ? {} : { finalText: redactText(finalText, hidden) }),
    ...(error === undefined ? {} : { error: { ...error, message: redactText(error.message, hidden) } }),
    denials: denials.map((denial) => redactText(denial, hidden)),
  };
}

/** What a process left running is told by its command line, in which a secret can stand. */
export function redactedResult(result: ContainedResult, hidden: readonly Secret[]): ContainedResult {
  const leftovers = result.leftovers.map(({ pid, command }) => ({ pid, command: redactText(command, hidden) }));
  return { ...result, leftovers };
}
