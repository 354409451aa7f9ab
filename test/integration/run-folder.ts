import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { z } from 'zod';
import { endProcess } from '#infra/stack/process-identity.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the servers of this vitest run record themselves; the global setup ends them. */
    setpointRunFolder: string;
  }
}

/** A server that the tests of one vitest run share. */
const SharedServer = z.object({
  address: z.string(),
  process: z.object({ pid: z.number(), startMark: z.string() }).nullable(),
  folders: z.array(z.string()),
});
export type SharedServer = z.infer<typeof SharedServer>;

/** A run folder that belongs to this process: its servers end with it. */
export function newRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'setpoint-test-'));
  writeFileSync(join(folder, 'owner'), String(process.pid));
  return folder;
}

/**
 * The one server `name` of this vitest run: the first test that asks starts it, the others wait for it. A start that failed
 * fails every test that asks, with its cause.
 */
export async function sharedServer(
  name: string,
  start: (folder: string) => Promise<SharedServer>,
): Promise<SharedServer> {
  const run = runFolder();
  const folder = join(run, name);
  const record = join(run, `${name}.json`);
  const failure = join(run, `${name}.failed`);
  const isFirst = await mkdir(folder).then(() => true, isTaken);
  if (!isFirst) return awaitRecord(record, failure);
  try {
    const server = await start(folder);
    watch(run, server);
    await writeAtomically(record, JSON.stringify(server));
    return server;
  } catch (error) {
    await writeAtomically(failure, error instanceof Error ? (error.stack ?? error.message) : String(error));
    throw error;
  }
}

/** Ends every server of a run and removes what they wrote. */
export async function endRun(run: string): Promise<void> {
  const servers = recordsOf(run);
  await Promise.all(servers.map(async ({ process: server }) => server && endProcess(server, fast)));
  for (const folder of [...servers.flatMap(({ folders }) => folders), run]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

const fast = { signal: 'SIGINT', graceMs: 3_000 } as const;

let ownFolder: string | undefined;

/** Of the global setup, or, in a run without it, one of this process alone. */
function runFolder(): string {
  ownFolder ??= (inject('setpointRunFolder') as string | undefined) ?? newRunFolder();
  return ownFolder;
}

/**
 * Ends a server when the owner of its run is gone without having ended it: vitest kills its worker processes, and a person
 * may kill vitest.
 */
function watch(run: string, { process: server, folders }: SharedServer): void {
  if (server === null) return;
  const script =
    'while kill -0 "$1" 2>/dev/null && [ -d "$2" ]; do sleep 0.3; done; [ -d "$2" ] || exit 0; kill -INT "$3"; shift; shift; sleep 1; shift; rm -rf "$@"';
  const owner = readFileSync(join(run, 'owner'), 'utf8');
  const args = ['-c', script, 'watch', owner, run, String(server.pid), run, ...folders];
  spawn('sh', args, { detached: true, stdio: 'ignore' }).unref();
}

function recordsOf(run: string): SharedServer[] {
  const records = readdirSync(run).filter((name) => name.endsWith('.json'));
  return records.map((name) => SharedServer.parse(JSON.parse(readFileSync(join(run, name), 'utf8'))));
}

async function awaitRecord(record: string, failure: string): Promise<SharedServer> {
  for (;;) {
    const [done, failed] = await Promise.all([readIfThere(record), readIfThere(failure)]);
    if (done !== undefined) return SharedServer.parse(JSON.parse(done));
    if (failed !== undefined) throw new TypeError(`the shared server could not be started: ${failed}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function writeAtomically(path: string, text: string): Promise<void> {
  await writeFile(`${path}.draft`, text);
  await rename(`${path}.draft`, path);
}

function isTaken(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') return false;
  throw error;
}
