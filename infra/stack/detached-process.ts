import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/** A program to start, ready for `spawn`. `env` is the whole environment, nothing is inherited. */
export interface ProcessSpec {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** The account to run as; ours when absent. */
  account?: { uid: number; gid: number } | undefined;
}

/**
 * Starts a process that outlives us: its own process group, output appended to `logFile` (a pipe would break it when we
 * die). Settles when it was spawned; rejects with the system's error when it cannot be.
 */
export async function spawnDetached(spec: ProcessSpec, logFile: string): Promise<ChildProcess & { pid: number }> {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: ['ignore', log, log],
      ...spec.account,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    if (child.pid === undefined) throw new TypeError(`${spec.command} was spawned without a pid`);
    return Object.assign(child, { pid: child.pid });
  } finally {
    closeSync(log);
  }
}
