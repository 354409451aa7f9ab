import type { AgentName } from '#core/agent/agent-name.ts';
import type { AgentUsage } from '#core/agent/outcome.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import type { AgentInvocation, StreamParser } from '#activities/agents/adapter.ts';
import { agents } from '#activities/agents/registry.ts';
import { watchErrors } from '#activities/attempt/error-watch.ts';
import type { Place } from '#activities/attempt/prepare.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { hostSecrets, redactedResult } from '#activities/secrets.ts';
import { runLogged } from '#activities/shell.ts';
import type { Task } from '#activities/task.ts';
import type { ContainedResult, OutputChunk } from '#infra/process/contained-spec.ts';
import { buildEnvironment } from '#infra/process/environment.ts';
import { liveOutputPath, openOutputLog, type OutputKey, type OutputTexts } from '#infra/process/output-log.ts';
import { runContained } from '#infra/process/run-contained.ts';

/** One process of an agent: a worker's or a reviewer's. */
export interface AgentProcess {
  agent: AgentName;
  invocation: AgentInvocation;
  parser: StreamParser;
  place: Pick<Place, 'path' | 'access'>;
  home: string;
  /** Folders beside the workspace that it may read. */
  readable: string[];
  env: Readonly<Record<string, string>>;
  /** Variables that its own and the plan's go before. */
  fromFiles?: Readonly<Record<string, string>>;
  /** Where it starts, in its place; absent = there. */
  startsAt?: string;
  /** More folders that it may write. */
  writable?: readonly string[];
  /** Hears its output, too, before secrets are hidden. */
  hear?: (chunk: OutputChunk) => void;
  /** What the plan grants it. */
  granted: readonly Secret[];
  /** What is hidden in all that it says. */
  hidden: readonly Secret[];
  timeoutSeconds: number;
  /** H2: without any output for so long it is ended; absent = never. */
  quietSeconds?: number | undefined;
  output: OutputKey;
  /** How long the excerpt of its output may be; absent = the default of C9. */
  excerptCharacters?: number | undefined;
  /** Called with the usage as the stream tells it. */
  count: (usage: AgentUsage) => void;
  task: Task;
}

export interface AgentProcessDone {
  result: ContainedResult;
  texts: OutputTexts;
}

/** What of a host it needs. */
export type AgentProcessDeps = Pick<HostDeps, 'environment' | 'home' | 'sandbox' | 'artifacts'>;

/**
 * Runs an agent's process to its end in a containment, its stream live on file, whole in the store and through its parser.
 * Faults: `sandbox/*`, `store/*`.
 */
export async function runAgentProcess(deps: AgentProcessDeps, process: AgentProcess): Promise<AgentProcessDone> {
  const { agent, invocation, parser, place, home, granted, hidden, task } = process;
  const { endsAtTerminalEvent, triesInVain, secretNames } = agents[agent];
  const secrets = [...hostSecrets(deps.environment, secretNames), ...granted];
  const { excerptCharacters } = process;
  const log = openOutputLog({ path: liveOutputPath(deps.home, process.output), secrets: hidden, excerptCharacters });
  const decoder = new TextDecoder();
  const errors = watchErrors(triesInVain);
  let ended = false;
  const result = await runLogged(log, (write) =>
    runContained(
      {
        argv: invocation.argv,
        cwd: process.startsAt ?? place.path,
        env: buildEnvironment({
          host: deps.environment,
          home,
          alsoFromHost: invocation.variableNames,
          plan: { ...process.fromFiles, ...invocation.env, ...process.env },
          secrets,
        }),
        ...(invocation.stdin === undefined ? {} : { stdin: invocation.stdin }),
        workspace: { path: place.path, access: place.access },
        writable: [home, ...(process.writable ?? [])],
        readable: process.readable,
        timeoutSeconds: process.timeoutSeconds,
        ...(process.quietSeconds === undefined ? {} : { quietSeconds: process.quietSeconds }),
        containmentId: task.containmentId,
        endAt: () => errors.seen() || (ended && endsAtTerminalEvent),
        onOutput(chunk) {
          write(chunk);
          process.hear?.(chunk);
          if (chunk.stream !== 'stdout') return errors.push(chunk.bytes);
          for (const progress of parser.push(decoder.decode(chunk.bytes, { stream: true }))) {
            if (progress.kind === 'end') ended = true;
            if (progress.kind === 'usage') process.count(progress.usage);
          }
        },
      },
      { sandbox: deps.sandbox, signal: task.signal },
    ),
  );
  return { result: redactedResult(result, hidden), texts: await log.finish(deps.artifacts) };
}
