import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process for certain: pids are used again, also after a reboot. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque; equal for the same process only. */
  startMark: string;
}

/** The identity of a live process, or undefined when there is none with that pid (a zombie is dead). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startMark = process.platform === 'linux' ? linuxStartMark(pid) : posixStartMark(pid);
  return startMark === undefined ? undefined : { pid, startMark };
}

/** Whether exactly this process still lives. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startMark === identity.startMark;
}

/**
 * Whether the pid belongs to a process that ended and that its parent has not collected: dead, and yet `kill(pid, 0)`
 * succeeds. As pid 1 of a container often collects nothing, an orphan can stay so for ever.
 */
export function isZombie(pid: number): boolean {
  try {
    return identify(pid) === undefined && process.kill(pid, 0);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Sends a signal to exactly this process; false when it is gone already. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * Ends a process that need not be our child: `signal`, then SIGKILL after `graceMs`. Settles when it is gone;
 * true when it went by itself.
 */
export async function endProcess(
  identity: ProcessIdentity,
  { signal, graceMs }: { signal: NodeJS.Signals; graceMs: number },
): Promise<boolean> {
  signalProcess(identity, signal);
  if (await isGoneWithin(identity, graceMs)) return true;
  signalProcess(identity, 'SIGKILL');
  await isGoneWithin(identity, 5_000);
  return false;
}

const pollMs = 20;

/** Waits until the process is gone, at most `limitMs`; whether it is. No event tells of the end of a process of others. */
export async function isGoneWithin(identity: ProcessIdentity, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (isAlive(identity)) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

/** Settles when a process that is not our child is gone, or when `signal` aborts. */
export async function awaitEnd(identity: ProcessIdentity, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isGoneWithin(identity, 0))) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function linuxStartMark(pid: number): string | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name, in parentheses, may hold blanks and parentheses itself: fields count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  const boot = readOrUndefined('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? 'boot';
  return `${boot}-${fields[19]}`;
}

function posixStartMark(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch (error) {
    // ps exits 1 when there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined;
    throw error;
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
}
