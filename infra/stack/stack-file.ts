import { type SeenProcess, Stack, StackFault } from '#core/contract/stack.ts';
import { readIfThere, stackFile, writeAtomically } from '#infra/stack/home-layout.ts';
import { isAlive, type ProcessIdentity } from '#infra/stack/process-identity.ts';

/** What stack.json says, undefined when the home never held a stack. Faults: `stack/state-unreadable`. */
export function readStack(home: string): Stack | undefined {
  const path = stackFile(home);
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return Stack.parse(JSON.parse(text));
  } catch (error) {
    const message = `${path} is not a stack file of this version. It holds the ports and the password of the database in that folder: restore it, or remove the folder to begin anew.`;
    throw new StackFault('stack/state-unreadable', message, { cause: error });
  }
}

export function writeStack(stack: Stack): void {
  writeAtomically(stackFile(stack.home), `${JSON.stringify(stack, null, 2)}\n`);
}

/** The process that the file names for a role, when it still lives. */
export function livingProcess(stack: Stack | undefined, role: string): ProcessIdentity | undefined {
  const entry = stack?.processes.find((process) => process.role === role);
  if (!entry || entry.pid === null || entry.startMark === null) return undefined;
  const identity = { pid: entry.pid, startMark: entry.startMark };
  return isAlive(identity) ? identity : undefined;
}

/** Whether every process is ready and lives, the supervisor included. */
export function isUp(stack: Stack | undefined): stack is Stack {
  if (stack === undefined || livingProcess(stack, 'supervisor') === undefined) return false;
  return stack.processes.every(
    ({ role, state }) => state === 'external' || (state === 'running' && livingProcess(stack, role) !== undefined),
  );
}

/** The processes as they are now: one that died while nobody kept the file is `gone`, whatever the file says. */
export function seenProcesses(stack: Stack | undefined): SeenProcess[] {
  return (stack?.processes ?? []).map(({ role, pid, state, since }) => {
    const gone = pid !== null && livingProcess(stack, role) === undefined;
    return { role, pid, state: gone ? 'gone' : state, since };
  });
}
