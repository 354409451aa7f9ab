import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '#infra/stack/free-port.ts';
import pg from 'pg';
import { inject } from 'vitest';
import { startPostgres } from '#infra/stack/postgres-server.ts';
import { sharedServer, type SharedServer } from './run-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of a Postgres that the global setup started in a container. */
    setpointDatabaseUrl: string | undefined;
  }
}

export interface TestDatabase {
  /** Of an empty database that nothing else uses; its user is a superuser. */
  url: string;
  /** Drops it, cutting connections that are still open. Calling it is good manners, not a duty: the server is thrown away. */
  close(): Promise<void>;
}

/**
 * A fresh, empty database in a real Postgres: the server of `SETPOINT_TEST_DATABASE_URL` if set, else a container where an
 * engine answers (with the global setup), else the embedded binaries. One server for a vitest run; about 40 ms a database.
 */
export async function withPostgres(): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await command(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, close: () => command(server, `drop database if exists ${name} with (force)`) };
}

async function serverUrl(): Promise<string> {
  const given = process.env['SETPOINT_TEST_DATABASE_URL'] ?? (inject('setpointDatabaseUrl') as string | undefined);
  return given ?? (await sharedServer('postgres', startEmbedded)).address;
}

async function startEmbedded(folder: string): Promise<SharedServer> {
  // The account of the database must pass through, and the system's temporary folders are made with mode 700.
  await mkdir(folder, { recursive: true });
  await Promise.all([chmod(dirname(folder), 0o711), chmod(folder, 0o711)]);
  const server = await startPostgres({
    home: folder,
    port: await freePort(),
    password: randomBytes(12).toString('hex'),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
    logFile: join(folder, 'postgres.log'),
  });
  return { address: server.url, process: server.process, folders: [server.folder] };
}

async function command(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
