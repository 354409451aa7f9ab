import { spawn } from 'node:child_process';
import { constants } from 'node:os';

import type { CliContext, Entry } from '#cli/context.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';

/** A terminal gives Ctrl-C to both of us: sent on as well, the program would hear it twice and quit in haste. */
function forwardedSignals(): NodeJS.Signals[] {
  return process.stdin.isTTY ? ['SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
}

/**
 * Becomes another program of the package as far as the caller can tell: its terminal, its signals, its exit code
 * (128 + the signal's number when a signal ended it). Throws with exit code 5 when it cannot be started.
 */
export async function runEntry(context: CliContext, entry: Entry, argv: readonly string[] = []): Promise<number> {
  const child = spawn(process.execPath, [context.entry(entry), ...argv], { cwd: context.cwd, stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  const ignoreOwn = (): void => undefined;
  process.on('SIGINT', ignoreOwn);
  const forwarded = forwardedSignals();
  for (const signal of forwarded) process.on(signal, forward);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } catch (error) {
    throw new CliFailure(exitCodes.infrastructure, `${entry} cannot be started: ${messageOf(error)}`, {
      remedy: 'check that setpoint is installed whole',
      cause: error,
    });
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
    process.off('SIGINT', ignoreOwn);
  }
}
