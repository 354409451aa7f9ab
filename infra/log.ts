import { destination, type Logger, pino } from 'pino';
import { config } from '#infra/config.ts';

export type { Logger } from 'pino';

const redacted = ['token', 'password', 'authorization', 'databaseUrl', '*.token', '*.password', '*.authorization'];

/**
 * A logger of JSON lines on stderr, `name` = the part that speaks. The level is that of `SETPOINT_LOG` unless given.
 * Written synchronously: the last line before a crash is the one that counts.
 */
export function createLogger(name: string, level: string = config().logLevel): Logger {
  return pino({ name, level, base: { name, pid: process.pid }, redact: redacted }, destination({ fd: 2, sync: true }));
}
