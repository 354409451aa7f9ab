import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runner } from 'node-pg-migrate';
import { asFault } from '#infra/postgres/database.ts';

/**
 * Brings the database up to this version's tables. Several processes may call it at once: one works under an advisory
 * lock, the others wait for it. Safe to call at every start; 20 ms when there is nothing to do.
 * Faults: `store/unavailable`.
 */
export async function migrate(url: string): Promise<void> {
  try {
    await runner({
      databaseUrl: { connectionString: url, connectionTimeoutMillis: 5_000 },
      dir: join(packageRoot(import.meta.dirname), 'infra', 'postgres', 'migrations'),
      direction: 'up',
      migrationsTable: 'migrations',
      advisoryLockMode: 'wait',
      logger: silent,
    });
  } catch (error) {
    throw asFault(error);
  }
}

/** The SQL is shipped as it is, not compiled: it lies in the package's own folder, seen from the sources and from dist. */
function packageRoot(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : packageRoot(dirname(from));
}

const nothing = (): void => undefined;
/** Errors are thrown as well as logged; the caller says what went wrong. */
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
