import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackFault, type StackRole } from '#core/contract/stack.ts';

export const stackFile = (home: string): string => join(home, 'stack.json');
export const tokenFile = (home: string): string => join(home, 'token');
export const temporalFolder = (home: string): string => join(home, 'temporal');
export const runFolder = (home: string): string => join(home, 'run');
export const failureFile = (home: string): string => join(home, 'run', 'failure.json');
export const readyFile = (home: string, role: StackRole): string => join(home, 'run', `${role}.ready`);
export const logFile = (home: string, role: StackRole): string => join(home, 'logs', `${role}.log`);

/**
 * Makes the home folder and what every start needs in it: `logs/`, `run/`, and a `.gitignore` that keeps the whole folder
 * out of git. Others may pass through it when we are root (the database runs as another account), but list nothing.
 * Faults: `stack/settings-invalid` when it cannot be made.
 */
export function ensureHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    for (const folder of ['logs', 'run']) mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, '.gitignore'), '*\n');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StackFault(
      'stack/settings-invalid',
      `${home} cannot be the data folder of the stack: ${reason}. Set SETPOINT_HOME to a folder that this user may write, on a disk with free space.`,
      { cause: error },
    );
  }
}

/** The bearer token of the API: the one in the token file, or a new one (256 bits) written there with mode 600. */
export function ensureToken(home: string): string {
  const path = tokenFile(home);
  const found = readIfThere(path)?.trim();
  if (found) {
    chmodSync(path, 0o600);
    return found;
  }
  const token = randomBytes(32).toString('base64url');
  writeAtomically(path, token);
  return token;
}

/** Replaces a file, mode 600: a reader sees the old text or the new one. */
export function writeAtomically(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/** The text of a file, undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

const largestLogBytes = 16 * 1024 * 1024;

/** Path of a role's log. A log above 16 MiB becomes `<role>.log.1` first, so a stack takes at most twice that for each role. */
export function freshLogFile(home: string, role: StackRole): string {
  const path = logFile(home, role);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > largestLogBytes) renameSync(path, `${path}.1`);
  return path;
}

/**
 * The end of a role's log as a person reads it, at most `lines` lines of the last 16 KiB; empty when there is none. Of a
 * line of JSON only its message is shown, and what is said several times in a row is said once.
 */
export function logTail(home: string, role: StackRole, lines = 20): string {
  const text = readIfThere(logFile(home, role)) ?? '';
  const said = text.slice(-16_384).trimEnd().split('\n').map(messageOfLine);
  return said
    .filter((line, index) => line !== said[index - 1])
    .slice(-lines)
    .join('\n');
}

function messageOfLine(line: string): string {
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === 'string' ? msg : line;
  } catch {
    // Not a line of our log: a crash's own words.
    return line;
  }
}
