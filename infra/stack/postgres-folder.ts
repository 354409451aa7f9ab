import { createHash, randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StackFault } from '#core/contract/stack.ts';
import type { PostgresBinaries } from '#infra/stack/postgres-binaries.ts';
import { endProcess, identify, isAlive, isZombie } from '#infra/stack/process-identity.ts';
import { type Account, canReach } from '#infra/stack/reach.ts';

const run = promisify(execFile);

/** Where root keeps what the database's account must reach and `home` does not let it. */
export const sharedFolder = '/var/lib/setpoint';

/** The superuser of an embedded database. */
export const superuser = 'setpoint';

/** Small, safe, and independent of the machine's locale. Nothing else of the environment reaches Postgres. */
export const postgresEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Where a new database of the stack at `home` lies: `home/postgres`, or a new folder in `/var/lib/setpoint` when we are
 * root and the account cannot pass through the folders above (new: a home that was removed and made again begins empty).
 * The choice is recorded in stack.json.
 */
export async function chooseFolder(home: string, account: Account | undefined): Promise<string> {
  const inside = join(home, 'postgres');
  if (account === undefined || (await canReach(inside, account))) return inside;
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return join(sharedFolder, `${hash}-${randomBytes(4).toString('hex')}`, 'postgres');
}

/**
 * Makes the database cluster in `folder/data` when there is none, with a superuser `setpoint` and this password. A crash
 * half-way leaves a draft that the next start removes. About 1 s. Faults: `stack/postgres-unavailable`.
 */
export async function ensureCluster(
  folder: string,
  { binaries, account, password }: { binaries: PostgresBinaries; account: Account | undefined; password: string },
): Promise<void> {
  if (await exists(join(folder, 'data', 'PG_VERSION'))) return;
  await makeFolder(folder, account);
  const draft = join(folder, 'data.draft');
  const secret = join(folder, `password.${randomBytes(6).toString('hex')}`);
  await rm(draft, { recursive: true, force: true });
  await writeFile(secret, `${password}\n`, { mode: 0o600 });
  if (account !== undefined) await chown(secret, account.uid, account.gid);
  try {
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--auth=scram-sha-256', `--username=${superuser}`, `--pwfile=${secret}`];
    await run(binaries.initdb, [`--pgdata=${draft}`, ...access, ...locale], {
      cwd: folder,
      env: postgresEnvironment,
      timeout: 120_000,
      ...account,
    });
    await rename(draft, join(folder, 'data'));
  } catch (error) {
    throw new StackFault(
      'stack/postgres-unavailable',
      `initdb could not make a database in ${folder}: ${outputOf(error)}. Free space or permissions are the usual cause; SETPOINT_DATABASE_URL uses a Postgres of yours instead.`,
      { cause: error },
    );
  } finally {
    await rm(secret, { force: true });
  }
}

/** Others may pass through the folders above, and see nothing in them: the account of the database is one of them. */
async function makeFolder(folder: string, account: Account | undefined): Promise<void> {
  const isShared = folder.startsWith(sharedFolder);
  await mkdir(dirname(folder), { recursive: true, mode: 0o711 });
  // Whatever the umask says: these folders are for another account.
  if (isShared) await Promise.all([sharedFolder, dirname(folder)].map((path) => chmod(path, 0o711)));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account !== undefined) await chown(folder, account.uid, account.gid);
}

/**
 * Ends a postmaster that an earlier owner left on this folder (its parent was killed), so that a new one can start.
 * Fast shutdown first; the connections of others are cut, committed rows stay.
 */
export async function endLeftover(folder: string): Promise<void> {
  const pidFile = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (pidFile === undefined) return;
  const [pidLine, , startLine] = pidFile.split('\n');
  if (isZombie(Number(pidLine))) return forgetZombie(await realpath(join(folder, 'data')));
  const postmaster = identify(Number(pidLine));
  if (postmaster === undefined || !(await isPostmaster(postmaster.pid, Number(startLine)))) return;
  await endProcess(postmaster, { signal: 'SIGINT', graceMs: 10_000 });
  if (isAlive(postmaster)) {
    throw new StackFault(
      'stack/postgres-unavailable',
      `A Postgres (pid ${postmaster.pid}) holds ${folder} and cannot be ended. End it, then try again.`,
    );
  }
}

/**
 * Postgres takes a zombie for a running postmaster and refuses to start. Its pid file goes, once none of its children is
 * left: they may still write, and the file is also what would keep a new postmaster from starting beside them.
 */
async function forgetZombie(data: string): Promise<void> {
  const end = performance.now() + 10_000;
  for (let left = await processesIn(data); left.length > 0; left = await processesIn(data)) {
    if (performance.now() > end) {
      const message = `Processes ${left.join(', ')} of a Postgres that was killed still use ${data}. End them, then try again.`;
      throw new StackFault('stack/postgres-unavailable', message);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await rm(join(data, 'postmaster.pid'), { force: true });
}

/** Processes whose working folder is `folder`, as that of every Postgres process is its data folder. Linux only. */
async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined); // Gone, or of an account that is not ours.
      return cwd === folder ? [pid] : [];
    }),
  );
  return found.flat();
}

/** A stale pid file may name any process of today: only one named postgres that began when the file says counts. */
async function isPostmaster(pid: number, startSeconds: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'comm=,etimes=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  const [command, elapsed] = stdout.trim().split(/\s+/);
  const begun = Date.now() / 1_000 - Number(elapsed);
  return command !== undefined && command.endsWith('postgres') && Math.abs(begun - startSeconds) < 60;
}

function outputOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr === '' ? String(error) : stderr.slice(-500);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
