import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StackFault } from '#core/contract/stack.ts';
import { withinLimit } from '#infra/process/time-limit.ts';
import { type ProcessSpec, spawnDetached } from '#infra/stack/detached-process.ts';
import { endProcess, identify, type ProcessIdentity } from '#infra/stack/process-identity.ts';
import { findTemporalCli, type TemporalCliOptions } from '#infra/stack/temporal-cli.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';

export interface TemporalServerOptions {
  /** Path of a Temporal CLI, see `findTemporalCli`. */
  cli: string;
  /** Holds the database file. */
  folder: string;
  port: number;
  namespace: string;
  searchPath: string;
}

/** What makes a step cost 23 to 35 ms instead of 49 to 55, and is safe against kill -9 (decision 18). */
const fastAndSafe = [
  '--sqlite-pragma=journal_mode=WAL',
  '--sqlite-pragma=synchronous=NORMAL',
  '--dynamic-config-value=history.transferProcessorMaxPollRPS=2000',
  // By default a queue has four parts, each with an order of its own: the most urgent work would not be taken first. Still
  // read from all of them, so that what an older build left in one is not lost.
  '--dynamic-config-value=matching.numTaskqueueWritePartitions=1',
  // Thousands of runs that wait for people need not lie in the server's memory.
  '--dynamic-config-value=history.hostLevelCacheMaxSize=500',
  '--dynamic-config-value=history.eventsCacheMaxSizeBytes=131072',
];

/** How to spawn the dev server: one SQLite file, loopback, no web page. */
export async function prepareTemporal(options: TemporalServerOptions): Promise<ProcessSpec> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  return {
    command: options.cli,
    args: [
      'server',
      'start-dev',
      '--headless',
      '--ip=127.0.0.1',
      `--port=${options.port}`,
      `--db-filename=${join(options.folder, 'temporal.db')}`,
      `--namespace=${options.namespace}`,
      '--log-level=warn',
      '--log-format=json',
      ...fastAndSafe,
    ],
    cwd: options.folder,
    // HOME is where the CLI looks for a settings file, which must not change how our server runs.
    env: { PATH: options.searchPath, HOME: options.folder, TZ: 'UTC' },
  };
}

/** Waits until the server answers for the namespace; the caller sets the limit by `signal`. */
export async function temporalReady(address: string, namespace: string, signal: AbortSignal): Promise<void> {
  while (!(await probeTemporal(address, namespace))) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export interface RunningTemporal {
  address: string;
  process: ProcessIdentity;
  /** SIGTERM, SIGKILL after 5 s. */
  stop(): Promise<void>;
}

/** Finds a CLI, starts the server and waits (at most 30 s). The server outlives this process: call `stop`. */
export async function startTemporal(
  options: Omit<TemporalServerOptions, 'cli'> & { find: TemporalCliOptions; logFile: string },
): Promise<RunningTemporal> {
  const cli = await findTemporalCli(options.find);
  const child = await spawnDetached(await prepareTemporal({ ...options, cli }), options.logFile);
  const gone = new AbortController();
  child.once('exit', (code) => {
    const message = `Temporal ended with ${code} before it was ready. Its log: ${options.logFile}`;
    gone.abort(new StackFault('stack/temporal-unavailable', message));
  });
  const address = `127.0.0.1:${options.port}`;
  await withinLimit(gone.signal, 30_000, (signal) => temporalReady(address, options.namespace, signal));
  child.unref();
  const identity = identify(child.pid);
  if (identity === undefined)
    throw new StackFault('stack/temporal-unavailable', 'Temporal ended as soon as it was ready.');
  return {
    address,
    process: identity,
    stop: async () => {
      await endProcess(identity, { signal: 'SIGTERM', graceMs: 5_000 });
    },
  };
}
