import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '#infra/stack/free-port.ts';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { chooseFolder } from '#infra/stack/postgres-folder.ts';
import { startPostgres, type RunningPostgres } from '#infra/stack/postgres-server.ts';
import { endProcess, isAlive } from '#infra/stack/process-identity.ts';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of clean.splice(0).toReversed()) await step();
});

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'setpoint-pg-'));
  await chmod(home, 0o711);
  clean.push(() => rm(home, { recursive: true, force: true }));
  return home;
}

async function start(home: string, port: number, folder?: string): Promise<RunningPostgres> {
  const server = await startPostgres({ home, port, folder, password: 'secret1', logFile: join(home, 'postgres.log') });
  clean.push(() => server.stop());
  return server;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('a committed row is there after kill -9 of the server and a new start', async () => {
  const home = await newHome();
  const port = await freePort();
  const first = await start(home, port);
  await query(first.url, 'create table t as select 1 as one');
  await endProcess(first.process, { signal: 'SIGKILL', graceMs: 5_000 });
  const second = await start(home, port, first.folder);
  expect(await query(second.url, 'select one from t')).toEqual([{ one: 1 }]);
});

test('a postmaster whose owner was killed is ended, and the folder is used again', async () => {
  const home = await newHome();
  const port = await freePort();
  const orphan = await start(home, port);
  const next = await start(home, await freePort(), orphan.folder);
  expect(isAlive(orphan.process)).toBe(false);
  expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('the server takes the settings that keep rows safe and listens on loopback only', async () => {
  const home = await newHome();
  const server = await start(home, await freePort());
  const rows = await query(
    server.url,
    `select name, setting from pg_settings where name in ('fsync','synchronous_commit','listen_addresses','unix_socket_directories') order by name`,
  );
  expect(rows).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'listen_addresses', setting: '127.0.0.1' },
    { name: 'synchronous_commit', setting: 'on' },
    { name: 'unix_socket_directories', setting: '' },
  ]);
});

test('a wrong password is refused at once with the remedy', async () => {
  const home = await newHome();
  const port = await freePort();
  const first = await start(home, port);
  await first.stop();
  const again = startPostgres({ home, port, folder: first.folder, password: 'other', logFile: join(home, 'p.log') });
  await expect(again).rejects.toThrow('remove the home folder');
});

test('initdb leaves neither its password file nor a draft, and the data are closed to others', async () => {
  const home = await newHome();
  const server = await start(home, await freePort());
  expect(await readdir(server.folder)).toEqual(['data']);
  expect((await stat(join(server.folder, 'data'))).mode & 0o077).toBe(0);
});

test('a home that the account of the database cannot reach moves the data to a folder that it can', async () => {
  const home = await newHome();
  await chmod(home, 0o700);
  const server = await start(home, await freePort());
  clean.unshift(() => (isRoot() ? rm(dirname(server.folder), { recursive: true }) : Promise.resolve()));
  expect(server.folder.startsWith(home)).toBe(!isRoot());
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

test('a home that was removed and made again does not find the data of its first life', async () => {
  const home = await newHome();
  await chmod(home, 0o700);
  const account = { uid: 54_321, gid: 54_321 };
  const [first, second] = await Promise.all([chooseFolder(home, account), chooseFolder(home, account)]);
  expect(first).not.toBe(second);
});
