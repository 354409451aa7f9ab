import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { BenchStack } from './stack.ts';

const windowMs = 10_000;
const ticksPerSecond = 100;

/** Memory (MB, shared pages counted once) and processor share of the whole idle stack over ten seconds. */
export async function measureIdle(stack: BenchStack): Promise<{ megabytes: number; cpuPercent: number }> {
  const roots = stack.stack().processes.flatMap(({ pid }) => (pid === null ? [] : [pid]));
  const pids = withDescendants(roots);
  const before = ticks(pids);
  await delay(windowMs);
  const after = ticks(pids);
  const cpuPercent = ((after - before) / ticksPerSecond / (windowMs / 1000)) * 100;
  return { megabytes: pids.reduce((sum, pid) => sum + proportionalKb(pid), 0) / 1024, cpuPercent };
}

function withDescendants(roots: readonly number[]): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    parents.set(Number(name), parent);
  }
  const found = new Set(roots);
  for (let grown = true; grown;) {
    grown = false;
    for (const [pid, parent] of parents) {
      if (!found.has(parent) || found.has(pid)) continue;
      found.add(pid);
      grown = true;
    }
  }
  return [...found];
}

function ticks(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
    return sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }, 0);
}

function proportionalKb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** A process that has ended meanwhile counts as nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
