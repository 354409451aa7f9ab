import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StackFault } from '#core/contract/stack.ts';
import type { Account } from '#infra/stack/reach.ts';

const run = promisify(execFile);
const name = 'postgres';

/**
 * The account the database runs as: undefined (our own) unless we are root, which Postgres refuses; then the system's
 * `postgres` account, created when it is missing. Faults: `stack/postgres-unavailable`.
 */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = await lookUp();
  if (found !== undefined) return found;
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name]);
  } catch (error) {
    // Two stacks may create it at the same time: what counts is that it exists.
    const other = await lookUp();
    if (other !== undefined) return other;
    throw new StackFault(
      'stack/postgres-unavailable',
      `Postgres refuses to run as root, and the account "${name}" could not be created. Create it (useradd --system ${name}), run Setpoint as another user, or set SETPOINT_DATABASE_URL.`,
      { cause: error },
    );
  }
  const created = await lookUp();
  if (created === undefined) {
    throw new StackFault('stack/postgres-unavailable', `The account "${name}" was created but "id" does not know it.`);
  }
  return created;
}

async function lookUp(): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch (error) {
    // id exits 1 for an unknown account.
    if (error instanceof Error && 'code' in error && error.code === 1) return undefined;
    throw error;
  }
}
