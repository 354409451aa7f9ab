import { setTimeout as delay } from 'node:timers/promises';
import {
  allPids,
  childrenOf,
  commandOf,
  descendantsOf,
  markedPids,
  pidsSince,
  processRow,
  waitsForTerminal,
} from '#infra/process/process-table.ts';

export interface Leftover {
  pid: number;
  command: string;
}

/** All processes of one contained command, wherever they went (A10). */
export interface Containment {
  /** The living processes of the work itself; the sandbox's own helpers are left out. */
  members(): number[];
  /** Sends a signal to every member. */
  signal(name: NodeJS.Signals): void;
  /** SIGKILLs every member until none is left; returns whether all are confirmed gone. */
  kill(): Promise<boolean>;
  /** True when a member is blocked on a terminal. */
  waitsForInput(): boolean;
}

const killRounds = 40;
/** For so long no machine runs through all its pids, so what a command started has a higher one than the command. */
const numbersHoldMs = 5_000;

/** The containment of a command without sandbox: its process group, its marker, and what descends from either. */
export function openContainment(leader: number, containmentId: string): Containment {
  const openedAt = performance.now();
  return containment(() => {
    const young = performance.now() - openedAt < numbersHoldMs;
    return livingMembers(leader, containmentId, young ? pidsSince(leader) : allPids());
  });
}

/** The containment of a held command: everything below bwrap's namespace but its init and the holder. */
export function namespaceContainment(outer: number): Containment {
  return containment(
    () => namespaceMembers(outer),
    () => send(outer, 'SIGKILL'),
  );
}

/** The command itself in a held containment, as the host sees it. */
export function heldLeader(outer: number): number | undefined {
  const holder = holderOf(outer);
  return holder === undefined ? undefined : childrenOf(holder)[0];
}

/**
 * Ends all that is left of a containment of which only the id is known, such as after the host process was killed.
 * Returns what was killed; works for every sandbox, since the outermost process carries the marker too.
 * `confirmed` is false when a process still lives after five seconds of SIGKILL (it is stuck in the kernel).
 */
export async function killContainment(containmentId: string): Promise<{ killed: Leftover[]; confirmed: boolean }> {
  const killed = new Map<number, Leftover>();
  const members = () => {
    const found = withDescendants(markedPids(containmentId));
    for (const pid of found) if (!killed.has(pid)) killed.set(pid, { pid, command: commandOf(pid) });
    return found;
  };
  const confirmed = await killAll(members);
  return { killed: [...killed.values()], confirmed };
}

function containment(members: () => number[], lastResort?: () => void): Containment {
  return {
    members,
    signal: (name) => {
      for (const pid of members()) send(pid, name);
    },
    kill: () => killAll(members, lastResort),
    waitsForInput: () => members().some((pid) => waitsForTerminal(pid)),
  };
}

async function killAll(members: () => number[], lastResort?: () => void): Promise<boolean> {
  for (let round = 0; round < killRounds; round += 1) {
    const left = members();
    if (left.length === 0) return true;
    for (const pid of left) send(pid, 'SIGKILL');
    // A fork bomb can outrun us; the kernel ends a namespace at once when its outermost process goes.
    if (round === 5) lastResort?.();
    await delay(Math.min(200, 2 ** round));
  }
  return members().length === 0;
}

function livingMembers(leader: number, containmentId: string, candidates: readonly number[]): number[] {
  // Without /proc only the process group can be seen, and it is signalled as one.
  if (process.platform !== 'linux') return groupExists(leader) ? [-leader] : [];
  const marked = markedPids(containmentId, candidates);
  const group = groupExists(leader) ? candidates.filter((pid) => processRow(pid)?.group === leader) : [];
  if (marked.length === 0 && group.length === 0) return [];
  return withDescendants([...marked, ...group]);
}

function withDescendants(pids: readonly number[]): number[] {
  const all = new Set(pids);
  for (const pid of pids) for (const below of descendantsOf(pid)) all.add(below);
  return [...all].filter((pid) => pid !== process.pid && isAlive(pid));
}

function isAlive(pid: number): boolean {
  return processRow(pid)?.alive === true;
}

function namespaceMembers(outer: number): number[] {
  const init = childrenOf(outer)[0];
  if (init === undefined) return [];
  const holder = holderOf(outer);
  return descendantsOf(init).filter((pid) => pid !== holder && isAlive(pid));
}

function holderOf(outer: number): number | undefined {
  const init = childrenOf(outer)[0];
  // The init's first child is the holder; orphans of the command are adopted after it.
  return init === undefined ? undefined : childrenOf(init)[0];
}

function groupExists(group: number): boolean {
  return send(-group, 0);
}

/** False when there is nothing to signal any more. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
