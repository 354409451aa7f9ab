import { Fault } from '#core/contract/fault.ts';
import type { Config } from '#infra/config.ts';

/** Where the record is. A worker alone must be told; the embedded stack tells its own. */
export function databaseUrl(config: Config): string {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  throw new Fault(
    'store/unavailable',
    'SETPOINT_DATABASE_URL is not set. Set it to the database of the stack, or start the embedded one: setpoint up.',
  );
}
