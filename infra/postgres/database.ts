import pg from 'pg';
import { Fault } from '#core/contract/fault.ts';

/** What stores ask, by itself or within a transaction. */
export interface Queries {
  query(statement: Statement): Promise<Answer>;
}

/** What the stores need of a database. */
export interface Database extends Queries {
  /** All that `work` asks, or nothing of it when `work` throws. Every statement sees what was committed before it. */
  transaction<T>(work: (within: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Statement {
  text: string;
  values: readonly unknown[];
  /** Prepared once a connection under this name: for what is asked often. */
  name?: string;
}

export interface Answer {
  rows: Record<string, unknown>[];
  count: number;
}

export interface DatabaseOptions {
  /** Connections at most. */
  connections?: number;
  /** Of one statement, on the server. */
  statementTimeoutMs?: number;
}

/**
 * A small pool. Times come back as ISO 8601 strings, JSON as objects. A statement is given up after 5 s, so a caller never
 * hangs on a database that has gone silent. Faults: `store/unavailable` when the database cannot be reached, is shutting
 * down, is full or out of time.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 8,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
    types: isoTimes,
  });
  // A connection that dies while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return {
    query: (statement) => ask(pool, statement),
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw asFault(error);
      });
      let broken = false;
      try {
        await ask(client, { text: 'begin', values: [] });
        const result = await work({ query: (statement) => ask(client, statement) });
        await ask(client, { text: 'commit', values: [] });
        return result;
      } catch (error) {
        broken = await ask(client, { text: 'rollback', values: [] }).then(
          () => false,
          () => true,
        );
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

async function ask(pool: pg.Pool | pg.PoolClient, { text, values, name }: Statement): Promise<Answer> {
  try {
    const result = await pool.query<Record<string, unknown>>({
      text,
      values: [...values],
      ...(name === undefined ? {} : { name }),
    });
    return { rows: result.rows, count: result.rowCount ?? 0 };
  } catch (error) {
    throw asFault(error);
  }
}

/** Trouble with the database as the fault `store/unavailable`; what is wrong with a statement itself stays as it is. */
export function asFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (error instanceof pg.DatabaseError && !isTrouble(error.code ?? '')) return error;
  const cause = error instanceof Error ? error.message || ((error as NodeJS.ErrnoException).code ?? '') : String(error);
  return new Fault(
    'store/unavailable',
    `The database did not do what was asked of it: ${cause}. Check that it runs and that SETPOINT_DATABASE_URL names it.`,
    { cause: error },
  );
}

/** Connection (08), authorization (28), resources (53), limits and rollbacks (40, 55), operator (57), system (58). */
function isTrouble(code: string): boolean {
  return ['08', '28', '3D', '40', '53', '55', '57', '58', 'XX'].includes(code.slice(0, 2));
}

const isoTimes = new pg.TypeOverrides();
isoTimes.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (value: string) => new Date(value).toISOString());
