import { join } from 'node:path';
import pg from 'pg';
import { StackFault } from '#core/contract/stack.ts';
import { withinLimit } from '#infra/process/time-limit.ts';
import { type ProcessSpec, spawnDetached } from '#infra/stack/detached-process.ts';
import { postgresAccount } from '#infra/stack/postgres-account.ts';
import { locatePostgres } from '#infra/stack/postgres-binaries.ts';
import {
  chooseFolder,
  endLeftover,
  ensureCluster,
  postgresEnvironment,
  sharedFolder,
  superuser,
} from '#infra/stack/postgres-folder.ts';
import { endProcess, identify, type ProcessIdentity } from '#infra/stack/process-identity.ts';

export interface PostgresOptions {
  /** The home of the stack; the database lies in it where its account can reach it. */
  home: string;
  /** A folder recorded earlier; wins over what would be chosen today. */
  folder?: string | undefined;
  port: number;
  /** Of the superuser `setpoint`; takes effect when the database is made. Letters and digits. */
  password: string;
  /** More server settings, such as `{fsync: 'off'}` for throw-away databases. */
  settings?: Readonly<Record<string, string>>;
}

export interface PreparedPostgres {
  spec: ProcessSpec;
  /** The folder that was used: record it. */
  folder: string;
  /** A url of the database `setpoint`, which `postgresReady` makes. */
  url: string;
}

const databaseName = 'setpoint';

const smallAndSafe = {
  shared_buffers: '32MB',
  max_connections: '100',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_wal_size: '256MB',
  timezone: 'UTC',
};

/**
 * Gets an embedded Postgres ready to be spawned: programs, account, database cluster; ends a postmaster that was left on
 * its folder. 1.1 s the first time, 10 ms later. Faults: `stack/postgres-unavailable`.
 */
export async function preparePostgres(options: PostgresOptions): Promise<PreparedPostgres> {
  const account = await postgresAccount();
  const binaries = await locatePostgres(account, sharedFolder);
  const folder = options.folder ?? (await chooseFolder(options.home, account));
  await ensureCluster(folder, { binaries, account, password: options.password });
  await endLeftover(folder);
  const settings = Object.entries({ ...smallAndSafe, ...options.settings });
  return {
    folder,
    url: `postgres://${superuser}:${options.password}@127.0.0.1:${options.port}/${databaseName}`,
    spec: {
      command: binaries.postgres,
      args: ['-D', join(folder, 'data'), '-p', String(options.port)].concat(
        settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ),
      cwd: folder,
      env: postgresEnvironment,
      account,
    },
  };
}

/**
 * Waits until the database of `url` answers, and makes it when the server does not have it yet. Whoever waits decides how
 * long by `signal`. Rejects at once when the server answers that it will not let us in (a wrong password).
 */
export async function postgresReady(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const refusal = await refusalOfPostgres(url);
    if (refusal === undefined) return;
    const code = refusal.code ?? '';
    if (code === noSuchDatabase) await createDatabase(url);
    else if (code.startsWith('28')) throw wrongPassword(refusal);
    else await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const noSuchDatabase = '3D000';

/** Why a connection is refused; undefined when it is not. At most 2 s. */
export async function refusalOfPostgres(url: string): Promise<(Error & { code?: string }) | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // A server that goes away between connect and end is found by the next try.
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new TypeError(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createDatabase(url: string): Promise<void> {
  const target = new URL(url);
  const name = target.pathname.slice(1);
  target.pathname = '/postgres';
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    const taken = ['42P04', '23505']; // Another waiter was first.
    if (!(error instanceof pg.DatabaseError && taken.includes(error.code ?? ''))) throw error;
  } finally {
    await client.end();
  }
}

function wrongPassword(cause: Error): StackFault {
  return new StackFault(
    'stack/postgres-unavailable',
    `The database refuses the password of stack.json (${cause.message}). Restore that file, or remove the home folder to begin with an empty database.`,
    { cause },
  );
}

export interface RunningPostgres {
  url: string;
  folder: string;
  process: ProcessIdentity;
  /** Fast shutdown (SIGINT), SIGKILL after 10 s. */
  stop(): Promise<void>;
}

/** Prepares, starts and waits (at most 30 s). The server outlives this process: call `stop`. */
export async function startPostgres(options: PostgresOptions & { logFile: string }): Promise<RunningPostgres> {
  const { spec, folder, url } = await preparePostgres(options);
  const child = await spawnDetached(spec, options.logFile);
  const gone = new AbortController();
  child.once('exit', (code) => {
    const message = `Postgres ended with ${code} before it was ready. Its log: ${options.logFile}`;
    gone.abort(new StackFault('stack/postgres-unavailable', message));
  });
  await withinLimit(gone.signal, 30_000, (signal) => postgresReady(url, signal));
  child.unref();
  const identity = identify(child.pid);
  if (identity === undefined)
    throw new StackFault('stack/postgres-unavailable', 'Postgres ended as soon as it was ready.');
  return {
    url,
    folder,
    process: identity,
    stop: async () => {
      await endProcess(identity, { signal: 'SIGINT', graceMs: 10_000 });
    },
  };
}
