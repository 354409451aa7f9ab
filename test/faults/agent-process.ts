import { readFileSync } from 'node:fs';
import { descendantsOf, markedPids } from '#infra/process/process-table.ts';
import { until } from './until.ts';

/** kill -9 of the very process that stands at the gate of a containment, whatever sandbox is around it. */
export async function killAtGate(containmentId: string): Promise<void> {
  const pid = await until('the process at the gate is found', () =>
    markedPids(containmentId)
      .flatMap((outer) => [outer, ...descendantsOf(outer)])
      .find((candidate) => isShellAtGate(candidate)),
  );
  process.kill(pid, 'SIGKILL');
}

/** The shell that runs the script itself: those around it only pass it on. */
function isShellAtGate(pid: number): boolean {
  const [program, option, script] = commandLine(pid);
  return /(^|\/)(ba|da)?sh$/.test(program ?? '') && option === '-c' && script?.includes('/at-gate') === true;
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    // Gone since it was listed.
    if (error instanceof Error) return [];
    throw error;
  }
}
