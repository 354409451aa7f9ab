import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '#core/contract/fault.ts';
import { hasCode, isAbsent } from '#infra/git/files.ts';
import { houseDir, type Repository } from '#infra/git/repository.ts';
import { identify, isAlive } from '#infra/stack/process-identity.ts';

const released = 'released\n';
const defaultLimitMs = 60_000;

/**
 * Runs `work` while no other process on this host works on the repository's worktrees and delivery refs (F1).
 * Not re-entrant. A holder that was killed does not hold it any more, at once.
 * Throws `workspace/locked` after `limitMs` (default 60,000).
 */
export async function withRepositoryLock<T>(
  repository: Pick<Repository, 'commonDir'>,
  work: () => Promise<T>,
  limitMs: number = defaultLimitMs,
): Promise<T> {
  return withLock(join(houseDir(repository), 'lock'), work, limitMs);
}

/** The newest turn in this process of each lock: turns of one process queue here, without polling. */
const turns = new Map<string, Promise<void>>();

/**
 * The lock itself. It is a folder with one file a turn, named by its number: the highest number holds. A turn is free
 * when it says `released` or its process is dead; the next one is taken by creating the next number, which only one
 * can do. Nothing is ever stolen by deleting, so two that see the same dead holder cannot both win.
 */
export async function withLock<T>(
  folder: string,
  work: () => Promise<T>,
  limitMs: number = defaultLimitMs,
): Promise<T> {
  const end = performance.now() + limitMs;
  const before = turns.get(folder) ?? Promise.resolve();
  const mine = new Deferred();
  const queue = before.then(() => mine.settled);
  turns.set(folder, queue);
  try {
    await before;
    const turn = await take(folder, end);
    try {
      return await work();
    } finally {
      release(turn);
    }
  } finally {
    mine.settle();
    if (turns.get(folder) === queue) turns.delete(folder);
  }
}

class Deferred {
  settle: () => void = () => undefined;
  readonly settled = new Promise<void>((resolve) => {
    this.settle = resolve;
  });
}

/** What a turn of this process says. */
const own = JSON.stringify({ host: hostname(), pid: process.pid, startMark: identify(process.pid)?.startMark ?? '' });

// The lock's files are tiny and it is taken several times a pass: a synchronous call is far cheaper than a trip through
// the thread pool for each of them.
async function take(folder: string, end: number): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `draft-${randomBytes(6).toString('hex')}`);
  writeFileSync(draft, own);
  try {
    for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 50)) {
      const turn = tryTake(folder, draft);
      if (turn.kind === 'taken') return turn.path;
      if (performance.now() >= end) throw lockedFault(folder);
      if (turn.kind === 'held') await wait(pauseMs);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function release(turn: string): void {
  writeFileSync(`${turn}.new`, released);
  renameSync(`${turn}.new`, turn);
}

/** `lost`: another one was quicker; the next look tells who. */
function tryTake(folder: string, draft: string): { kind: 'taken'; path: string } | { kind: 'held' } | { kind: 'lost' } {
  const highest = Math.max(0, ...numbers(folder));
  if (highest > 0 && !isFree(join(folder, String(highest)))) return { kind: 'held' };
  const path = join(folder, String(highest + 1));
  return claim(folder, draft, highest + 1) ? { kind: 'taken', path } : { kind: 'lost' };
}

function numbers(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function claim(folder: string, draft: string, number: number): boolean {
  try {
    linkSync(draft, join(folder, String(number)));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  const all = numbers(folder);
  // Someone took this number, gave it back and was followed before our link: theirs is the higher turn.
  if (all.some((other) => other > number)) {
    rmSync(join(folder, String(number)), { force: true });
    return false;
  }
  for (const other of all) if (other < number) rmSync(join(folder, String(other)), { force: true });
  return true;
}

function isFree(turn: string): boolean {
  const text = readTurn(turn);
  if (text === undefined || text === released) return true;
  const holder = parseHolder(text);
  return holder.host === hostname() && !isAlive(holder);
}

/** A turn that was followed may be gone between two looks. */
function readTurn(turn: string): string | undefined {
  try {
    return readFileSync(turn, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function parseHolder(text: string): { host: string; pid: number; startMark: string } {
  return JSON.parse(text) as { host: string; pid: number; startMark: string };
}

function lockedFault(folder: string): Fault {
  const number = Math.max(0, ...numbers(folder));
  const text = readTurn(join(folder, String(number)));
  const holder = text === undefined || text === released ? undefined : parseHolder(text);
  const who = holder === undefined ? 'others in turn' : `process ${holder.pid} on ${holder.host}`;
  return new Fault(
    'workspace/locked',
    `The lock ${folder} is held by ${who}. Wait for it to finish; if that machine is gone for good, delete the folder.`,
  );
}
