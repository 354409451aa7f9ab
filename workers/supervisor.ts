import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StackFault } from '#core/contract/stack.ts';
import { hostEnvironment, loadConfig } from '#infra/config.ts';
import { createLogger } from '#infra/log.ts';
import { homeTaken, reportFailure } from '#infra/stack/stack-control.ts';
import { ownPrograms, Programs } from '#workers/supervisor/programs.ts';
import { runSupervisor } from '#workers/supervisor/run-supervisor.ts';

/**
 * `node dist/workers/supervisor.js --home HOME [--programs FILE]`: runs the embedded stack until SIGTERM or SIGINT.
 * FILE is a JSON map of the roles api, control and host to program and arguments.
 * Exit codes: 0 ended; 3 another supervisor has the home; 5 it could not be started (`run/failure.json` says why).
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { home: { type: 'string' }, programs: { type: 'string' } } });
  const environment = { ...hostEnvironment(), ...(values.home && { SETPOINT_HOME: resolve(values.home) }) };
  const config = loadConfig(environment, process.cwd());
  // Whoever waits for the stack reads its progress in this log: never less than that.
  const level = config.logLevel === 'trace' || config.logLevel === 'debug' ? config.logLevel : 'info';
  const log = createLogger('supervisor', level);
  const programs = values.programs ? Programs.parse(JSON.parse(readFileSync(values.programs, 'utf8'))) : ownPrograms;
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());
  try {
    const outcome = await runSupervisor({ config, programs, signal: ending.signal, log });
    if (outcome === 'taken') process.exitCode = homeTaken;
  } catch (error) {
    log.fatal({ err: error }, 'the stack cannot be started');
    const { code, message } = error instanceof StackFault ? error : new StackFault('stack/not-ready', String(error));
    reportFailure(config.home, { code, message });
    process.exitCode = 5;
  }
}

await main();
