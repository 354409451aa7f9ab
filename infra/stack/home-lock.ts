import { linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StackFault } from '#core/contract/stack.ts';
import { readIfThere, runFolder } from '#infra/stack/home-layout.ts';
import { identify, isAlive, type ProcessIdentity } from '#infra/stack/process-identity.ts';

const Owner = z.object({ pid: z.number(), startMark: z.string() });

export interface HomeLock {
  /** False when somebody removed the home, and perhaps made it anew. */
  isHeld(): boolean;
  release(): void;
}

/**
 * Takes the home for this process, or tells who has it. Survives kill -9: an owner counts while exactly that process
 * lives. A dead owner's lock is never renamed or removed to get it (two contenders could each do so); instead the one who
 * first makes the lock with the next number has it. Released by `release` or by dying.
 */
export function lockHome(home: string): HomeLock | { owner: ProcessIdentity } {
  const self = identify(process.pid);
  if (self === undefined)
    throw new StackFault('stack/not-ready', 'This process does not find itself in the process table.');
  for (;;) {
    const highest = locks(home).at(-1);
    const owner = highest === undefined ? undefined : ownerOf(home, highest);
    if (owner !== undefined && isAlive(owner)) return { owner };
    const mine = (highest ?? 0) + 1;
    if (!create(home, mine, self)) continue;
    const all = locks(home);
    if (all.at(-1) !== mine) {
      // We looked before another took over and took a number below: it goes, theirs counts.
      rmSync(lockPath(home, mine), { force: true });
      continue;
    }
    for (const number of all.slice(0, -1)) rmSync(lockPath(home, number), { force: true });
    const isHeld = () => ownerOf(home, mine)?.startMark === self.startMark && ownerOf(home, mine)?.pid === self.pid;
    return {
      isHeld,
      release: () => {
        if (isHeld()) rmSync(lockPath(home, mine), { force: true });
      },
    };
  }
}

/** Who holds the home now. */
export function homeOwner(home: string): ProcessIdentity | undefined {
  const highest = locks(home).at(-1);
  const owner = highest === undefined ? undefined : ownerOf(home, highest);
  return owner !== undefined && isAlive(owner) ? owner : undefined;
}

const lockPath = (home: string, number: number) => join(runFolder(home), `lock.${number}`);

function locks(home: string): number[] {
  const found = entries(runFolder(home)).flatMap((name) => {
    const number = /^lock\.(\d+)$/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return found.toSorted((one, two) => one - two);
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function ownerOf(home: string, number: number): ProcessIdentity | undefined {
  const text = readIfThere(lockPath(home, number));
  return text === undefined ? undefined : Owner.parse(JSON.parse(text));
}

/** Whole or not at all, and only when there is none: a reader never sees half an owner. */
function create(home: string, number: number, self: ProcessIdentity): boolean {
  const draft = join(runFolder(home), `draft.${process.pid}`);
  writeFileSync(draft, JSON.stringify(self));
  try {
    linkSync(draft, lockPath(home, number));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
