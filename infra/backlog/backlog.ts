import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { Verdict } from '#core/check/verdict.ts';
import { Fault } from '#core/contract/fault.ts';
import { WorkKey } from '#core/contract/work-key.ts';
import { AttemptResult } from '#core/run/attempt-result.ts';
import type { Logger } from '#infra/log.ts';

const ofAttempt = { key: WorkKey, hostId: z.string() };
const round = z.object({ runId: z.string(), step: z.string(), pass: z.number().int(), round: z.number().int() });

/** What a host found out and the database has yet to hear. */
export const Backlogged = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ran'), ...ofAttempt, ran: z.unknown() }),
  z.object({ kind: z.literal('result'), ...ofAttempt, result: AttemptResult }),
  z.object({ kind: z.literal('verdict'), round, check: z.string(), verdict: Verdict }),
]);
export type Backlogged = z.infer<typeof Backlogged>;

/** Puts one into the database. Safe to repeat. Faults: `store/unavailable`. */
export type Store = (entry: Backlogged) => Promise<void>;

/** The writes that a database which is away did not take, kept on this host until it does. */
export interface Backlog {
  /** Keeps one; it is on disk when this returns. Throws when the disk does not take it. */
  add(entry: Backlogged): void;
  /** Those that wait, the oldest first. */
  waiting(): readonly Backlogged[];
  /** Stores those that wait, in order. Faults: `store/unavailable`: what is not stored goes on waiting. */
  drain(): Promise<void>;
  /** Drains until the signal, whenever something waits. */
  keep(signal: AbortSignal): Promise<void>;
}

interface Entry {
  path: string;
  entry: Backlogged;
}

const kept = '.json';
const betweenTriesMs = 500;

/**
 * One small file for each write, in `folder`; what a predecessor left there waits, too. A write that the database refuses
 * for another reason than its absence, such as one of a run that was deleted, is put aside as `.refused`, which is logged.
 */
export function openBacklog(folder: string, store: Store, log: Logger): Backlog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const putAside = (path: string, err: unknown): void => {
    log.error({ err, path }, 'what was kept for the database cannot be stored; the file is put aside');
    renameSync(path, path.replace(kept, '.refused'));
  };
  const names = readdirSync(folder).filter((name) => /^\d/.test(name));
  const left = names.filter((name) => name.endsWith(kept)).toSorted();
  const entries = left.flatMap((name) => read(join(folder, name), putAside));
  let last = Math.max(0, ...names.map((name) => Number.parseInt(name, 10)));
  let draining: Promise<void> | undefined;
  let wake: () => void = () => undefined;

  async function drainAll(): Promise<void> {
    for (let first = entries[0]; first !== undefined; first = entries[0]) {
      await storeOne(first);
      entries.shift();
    }
  }

  async function storeOne({ path, entry }: Entry): Promise<void> {
    try {
      await store(entry);
    } catch (error) {
      if (isAway(error)) throw error;
      return putAside(path, error);
    }
    rmSync(path);
  }

  /** One at a time: two would store in no order. */
  const drain = (): Promise<void> => {
    draining ??= drainAll().finally(() => {
      draining = undefined;
    });
    return draining;
  };

  return {
    add(entry) {
      if (entries.length === 0)
        log.warn('the database is away: what this host finds out is kept here until it is back');
      const path = join(folder, `${String(last + 1).padStart(12, '0')}${kept}`);
      write(path, JSON.stringify(entry));
      last += 1;
      entries.push({ path, entry });
      wake();
    },
    waiting: () => entries.map(({ entry }) => entry),
    drain,
    async keep(signal) {
      signal.addEventListener('abort', () => wake(), { once: true });
      while (!signal.aborted) {
        if (entries.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        else if (!(await drained(drain))) await delay(betweenTriesMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** False while the database is away. */
async function drained(drain: Backlog['drain']): Promise<boolean> {
  try {
    await drain();
    return true;
  } catch (error) {
    if (isAway(error)) return false;
    throw error;
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof Fault && error.code === 'store/unavailable';
}

/** Whole and on disk, or not there. */
function write(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  }
}

function read(path: string, putAside: (path: string, error: unknown) => void): Entry[] {
  try {
    return [{ path, entry: Backlogged.parse(JSON.parse(readFileSync(path, 'utf8'))) }];
  } catch (error) {
    putAside(path, error);
    return [];
  }
}
