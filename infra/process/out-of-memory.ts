import { readFileSync } from 'node:fs';

/** The kernel's count of processes killed for want of memory, of the machine and of every cgroup; undefined if unknown. */
export function outOfMemoryKills(): number | undefined {
  let text: string;
  try {
    text = readFileSync('/proc/vmstat', 'latin1');
  } catch {
    return undefined;
  }
  const found = /^oom_kill (\d+)$/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * B10: an exit by SIGKILL that we did not send, while the kernel's count rose. Another process may have been the one
 * killed, so this can blame memory wrongly when two die at once; it never blames memory when the kernel killed nothing.
 */
export function wasOutOfMemory(exitCode: number, killsBefore: number | undefined): boolean {
  if (exitCode !== 137 || killsBefore === undefined) return false;
  return (outOfMemoryKills() ?? 0) > killsBefore;
}
