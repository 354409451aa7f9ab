import { mkdir } from 'node:fs/promises';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets, redactedResult } from '#activities/secrets.ts';
import { cancelled, type Task } from '#activities/task.ts';
import { commandHomeOf } from '#activities/workspace/places.ts';
import type { ContainedResult, OutputChunk } from '#infra/process/contained-spec.ts';
import { buildEnvironment } from '#infra/process/environment.ts';
import {
  liveOutputPath,
  openOutputLog,
  type OutputKey,
  type OutputLog,
  type OutputTexts,
} from '#infra/process/output-log.ts';
import { runContained } from '#infra/process/run-contained.ts';

export interface ShellRequest {
  /** For `sh -c`, rendered. */
  command: string;
  cwd: string;
  runId: string;
  output: OutputKey;
  access: 'write' | 'read';
  env: Readonly<Record<string, string>>;
  /** Names of secrets that the plan grants the step. */
  secrets: readonly string[];
  /** What it sees, read-only, at another place (B3). */
  provided?: readonly { from: string; at: string }[];
  /** More folders that it may write. */
  writable?: readonly string[];
  /** Where it starts, below `cwd`; absent = there. */
  startsAt?: string;
  /** Hears its output, too, before secrets are hidden. */
  hear?: (chunk: OutputChunk) => void;
  /** How long the excerpt of its output may be; absent = the default of C9. */
  excerptCharacters?: number | undefined;
  timeoutSeconds: number;
  task: Task;
}

export interface ShellDone {
  result: ContainedResult;
  texts: OutputTexts;
}

/**
 * Runs a command in a containment, its output live on file and whole in the store (A5, A13). A non-zero exit or a time
 * limit is a result. Secrets are hidden in all that it gives (H4). Throws the cancellation once everything of it is dead, and faults of the sandbox, the store and `RunSecrets`.
 */
export async function runShell(
  deps: Pick<HostDeps, 'home' | 'environment' | 'secrets' | 'artifacts' | 'sandbox'>,
  request: ShellRequest,
): Promise<ShellDone> {
  const { runId, task } = request;
  const secrets = await persist(() => deps.secrets.grant(runId, request.secrets), task.signal);
  const hidden = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(runId), task.signal));
  const home = commandHomeOf(deps.home, runId);
  await mkdir(home, { recursive: true });
  const { excerptCharacters } = request;
  const log = openOutputLog({ path: liveOutputPath(deps.home, request.output), secrets: hidden, excerptCharacters });
  const result = await runLogged(log, (onOutput) =>
    runContained(
      {
        argv: ['/bin/sh', '-c', request.command],
        cwd: request.startsAt ?? request.cwd,
        env: buildEnvironment({ host: deps.environment, home, plan: request.env, secrets }),
        workspace: { path: request.cwd, access: request.access },
        writable: [home, ...(request.writable ?? [])],
        ...(request.provided === undefined ? {} : { provided: request.provided }),
        timeoutSeconds: request.timeoutSeconds,
        containmentId: task.containmentId,
        onOutput(chunk) {
          onOutput(chunk);
          request.hear?.(chunk);
        },
      },
      { sandbox: deps.sandbox, signal: task.signal },
    ),
  );
  const texts = await log.finish(deps.artifacts);
  if (result.ended === 'cancelled') throw cancelled(task);
  return { result: redactedResult(result, hidden), texts };
}

/** Runs a process into its log; the log's file is closed when the process could not be run at all. */
export async function runLogged<T>(log: OutputLog, run: (onOutput: OutputLog['write']) => Promise<T>): Promise<T> {
  try {
    return await run((chunk) => log.write(chunk));
  } catch (error) {
    log.close();
    throw error;
  }
}
