import { setTimeout as delay } from 'node:timers/promises';

import type { StartRun } from '#core/contract/http.ts';
import { present } from '#core/definition/present.ts';

import { type ApiClient, createApiClient } from '#cli/client/api-client.ts';
import { ApiProblem, ServerUnreachable } from '#cli/client/api-problem.ts';
import type { RunStarted } from '#cli/client/run-started.ts';
import { compileHere, type DefinitionFile, InvalidDefinition } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { serverAddress } from '#cli/stack/server-address.ts';
import type { Settings } from '#cli/settings.ts';

export interface Submission {
  definition: DefinitionFile;
  body: StartRun;
  /** Idempotency key: sent again, the same run is answered. */
  key: string;
  quiet: boolean;
}

export interface Submitted {
  client: ApiClient;
  started: HandedOver;
}

/** `found`: an earlier call had started the run under this key. */
export type HandedOver = RunStarted & { found: boolean };

/**
 * Starts a run. The server that answers judges the definition; where none answers and none is set, the definition is
 * judged here first, so that a broken one starts nothing, and then the embedded stack is started.
 * Throws `InvalidDefinition` (2), `ApiProblem`, or with exit code 5.
 */
export async function submitRun(context: CliContext, settings: Settings, submission: Submission): Promise<Submitted> {
  const address = await serverAddress(settings);
  if (address !== undefined) {
    const client = createApiClient(address);
    const started = await post(client, submission).catch((error: unknown) => {
      if (settings.server === undefined && isNotOurStack(error)) return undefined;
      throw error;
    });
    if (started !== undefined) return { client, started };
  }
  const { overrides, dialect } = submission.body;
  await compileHere(submission.definition, present({ overrides, dialect }));
  const { startStack } = await import('#cli/stack/start-stack.ts');
  const client = createApiClient(await startStack(context, settings, submission));
  return { client, started: await post(client, submission) };
}

/**
 * Nothing listens where the embedded stack was, or something else does by now: another home's stack, which does not know
 * our token, or no Setpoint at all. In each case nothing of the request was taken.
 */
export function isNotOurStack(error: unknown): boolean {
  if (error instanceof ServerUnreachable) return error.refused;
  return error instanceof ApiProblem && (error.problem.status === 401 || error.problem.code === 'unexpected-answer');
}

const handoverTries = 3;
const handoverWaitMs = 300;

/** A connection that breaks may have carried the request: with the same key, asking again finds that very run. */
async function post(client: ApiClient, submission: Submission, tries = 1): Promise<HandedOver> {
  try {
    const started = await client.startRun(submission.body, submission.key);
    return { ...started, found: started.found && tries === 1 };
  } catch (error) {
    const broke = error instanceof ServerUnreachable && !error.refused;
    if (!broke || tries >= handoverTries) throw withIssues(error, submission.definition.file);
  }
  await delay(handoverWaitMs);
  return post(client, submission, tries + 1);
}

/** The server's issues as the issues of the file. Anything else stays as it is. */
export function withIssues(error: unknown, file: string): unknown {
  const issues = error instanceof ApiProblem ? (error.problem.issues ?? []) : [];
  return issues.length === 0 ? error : new InvalidDefinition(file, issues);
}
