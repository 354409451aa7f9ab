import type { AgentReport } from '#core/agent/outcome.ts';
import { redactText } from '#core/text/redact.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import { agents } from '#activities/agents/registry.ts';
import type { ContainedResult } from '#infra/process/contained-spec.ts';

/** The host's variables of these names that are set, as secrets that a process is given (H4). */
export function hostSecrets(environment: Readonly<Record<string, string>>, names: readonly string[]): Secret[] {
  return names.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === '' ? [] : [{ name, value }];
  });
}

const signInNames = Object.values(agents).flatMap(({ secretNames }) => secretNames);

/**
 * What is hidden in all that a process says, whichever process it is (H4): the sign-in of every agent, and `known`, what
 * steps of the run were granted. An agent can leave its key in the work, where a check that was given nothing prints it.
 */
export function hiddenSecrets(environment: Readonly<Record<string, string>>, known: readonly Secret[]): Secret[] {
  return [...hostSecrets(environment, [...new Set(signInNames)]), ...known];
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
