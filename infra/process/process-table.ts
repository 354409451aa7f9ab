import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The environment variable that every process of a containment carries; its value is the containment's id. */
export const containmentVariable = 'SETPOINT_CONTAINMENT';

export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** False for a zombie: it runs nothing and only waits to be collected. */
  alive: boolean;
}

/** All processes of the machine; empty where there is no /proc. */
export function allPids(): number[] {
  return listFolder('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 0);
}

/** More pids than this are looked up in one listing instead. */
const mostProbed = 512;

/**
 * The processes that may have been started since `pid` was: those that the kernel numbered after it. All processes
 * when the numbers have begun anew meanwhile, or when there are too many to ask for one by one.
 */
export function pidsSince(pid: number): number[] {
  const last = Number((readGone('/proc/loadavg') ?? '').trim().split(' ').at(-1));
  if (!(last >= pid) || last - pid > mostProbed) return allPids();
  return Array.from({ length: last - pid + 1 }, (_, index) => pid + index);
}

/** A process as the kernel shows it now; undefined when it is gone. */
export function processRow(pid: number): ProcessRow | undefined {
  const stat = readGone(`/proc/${String(pid)}/stat`);
  // The command name is in brackets and may hold spaces and brackets itself.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || fields.length < 3) return undefined;
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), alive: fields[0] !== 'Z' && fields[0] !== 'X' };
}

/** Child pids by the kernel's own lists, all threads of the parent included. */
export function childrenOf(pid: number): number[] {
  return listFolder(`/proc/${String(pid)}/task`).flatMap((thread) =>
    (readGone(`/proc/${String(pid)}/task/${thread}/children`) ?? '')
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
}

/** Everything below a process, the process itself left out. */
export function descendantsOf(pid: number): number[] {
  const found: number[] = [];
  const queue = [pid];
  for (let at = 0; at < queue.length; at += 1) {
    for (const child of childrenOf(queue[at] ?? 0)) {
      found.push(child);
      queue.push(child);
    }
  }
  return found;
}

/** Those of `pids` that carry a containment's marker in the environment they were started with. */
export function markedPids(containmentId: string, pids: readonly number[] = allPids()): number[] {
  const marker = `${containmentVariable}=${containmentId}\0`;
  return pids.filter((pid) => {
    if (pid === process.pid) return false;
    const environment = readGone(`/proc/${String(pid)}/environ`);
    return environment !== undefined && hasEntry(`${environment}\0`, marker);
  });
}

/** The command line for people, at most 200 characters. */
export function commandOf(pid: number): string {
  const line = (readGone(`/proc/${String(pid)}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
  return (line === '' ? (readGone(`/proc/${String(pid)}/comm`) ?? '').trim() : line).slice(0, 200);
}

const readCall: Readonly<Record<string, string>> = { x64: '0', arm64: '63', ia32: '3', arm: '3' };

/** True when the process is blocked reading a terminal, which nobody will ever type into (A13). */
export function waitsForTerminal(pid: number): boolean {
  const [call, descriptor] = (readGone(`/proc/${String(pid)}/syscall`) ?? '').split(' ');
  if (call === undefined || descriptor === undefined || call !== readCall[process.arch]) return false;
  try {
    return /^\/dev\/(?:tty|pts\/)/.test(readlinkSync(`/proc/${String(pid)}/fd/${String(Number(descriptor))}`));
  } catch {
    return false;
  }
}

function hasEntry(environment: string, entry: string): boolean {
  return environment.startsWith(entry) || environment.includes(`\0${entry}`);
}

/** A process can end, or belong to someone else, between any two looks: then there is nothing to read. */
function readGone(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
