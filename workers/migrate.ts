import { config } from '#infra/config.ts';
import { createLogger } from '#infra/log.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { databaseUrl } from '#workers/database-url.ts';
import { runProcess } from '#workers/process.ts';

const log = createLogger('migrate');

/** `node dist/workers/migrate.js`: brings the database of SETPOINT_DATABASE_URL up to date, then ends. */
runProcess(async () => {
  await migrate(databaseUrl(config()));
  log.info('the database is up to date');
}, log);
