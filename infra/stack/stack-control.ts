import { type ChildProcess } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { z } from 'zod';
import { type Stack, StackFault, type StackFaultCode, stackFaultCodes, type StackRole } from '#core/contract/stack.ts';
import { spawnDetached } from '#infra/stack/detached-process.ts';
import { ending, endingOrder } from '#infra/stack/ending.ts';
import {
  ensureHome,
  failureFile,
  freshLogFile,
  logFile,
  logTail,
  readIfThere,
  writeAtomically,
} from '#infra/stack/home-layout.ts';
import { homeOwner } from '#infra/stack/home-lock.ts';
import { endProcess } from '#infra/stack/process-identity.ts';
import { isUp, livingProcess, readStack, writeStack } from '#infra/stack/stack-file.ts';

/** Exit code of a supervisor that found another one on its home. */
export const homeTaken = 3;

export interface StartOptions {
  /** Program and arguments of the supervisor; it gets `--home HOME` appended. */
  supervisor: readonly string[];
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
  onProgress?: (message: string) => void;
  /** All in all; the first start on a machine may fetch a Temporal CLI (3 minutes at most). */
  limitMs?: number;
}

/**
 * Starts the stack of a home unless it is up, waits until every process is ready, and returns what stack.json then says.
 * Two callers at once get the same stack. 5 s at most when nothing has to be fetched, 5 ms when it is up.
 * Faults: those of the supervisor's failure, `stack/not-ready` with the ends of the logs.
 */
export async function startStack(home: string, options: StartOptions): Promise<Stack> {
  const found = readStack(home);
  if (isUp(found)) return found;
  ensureHome(home);
  const news = followProgress(home, options.onProgress ?? (() => undefined));
  const limitMs = options.limitMs ?? 300_000;
  const end = performance.now() + limitMs;
  let supervisor: ChildProcess | undefined;
  while (performance.now() < end) {
    news();
    const stack = readStack(home);
    if (isUp(stack)) return stack;
    if (homeOwner(home) === undefined) supervisor = await supervisorAfter(supervisor, home, options);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw tooLate(home, readStack(home));
}

/** Nobody has the home: the supervisor that is about to take it, or a new one; faults when ours gave up. */
async function supervisorAfter(
  last: ChildProcess | undefined,
  home: string,
  options: StartOptions,
): Promise<ChildProcess> {
  // The one who had the home when ours came has left it since.
  if (last === undefined || last.exitCode === homeTaken) return spawnSupervisor(home, options);
  if (last.exitCode !== null || last.signalCode !== null) throw failureOf(home);
  return last;
}

async function spawnSupervisor(home: string, options: StartOptions): Promise<ChildProcess> {
  const [command = process.execPath, ...args] = options.supervisor;
  rmSync(failureFile(home), { force: true });
  const spec = { command, args: [...args, '--home', home], cwd: home, env: options.env };
  const child = await spawnDetached(spec, freshLogFile(home, 'supervisor'));
  child.unref();
  return child;
}

/** Each call passes on what the supervisor's log says since the last one, of lines that are meant for a person. */
function followProgress(home: string, onProgress: (message: string) => void): () => void {
  let seen = statSync(logFile(home, 'supervisor'), { throwIfNoEntry: false })?.size ?? 0;
  return () => {
    const text = Buffer.from(readIfThere(logFile(home, 'supervisor')) ?? '');
    if (text.length < seen) seen = 0; // The log was begun anew.
    const end = text.lastIndexOf('\n') + 1;
    const fresh = text.subarray(seen, end).toString();
    seen = Math.max(seen, end);
    for (const line of fresh.split('\n')) {
      const message = /^\{.*"progress":true/.test(line) ? Progress.safeParse(JSON.parse(line)).data?.msg : undefined;
      if (message !== undefined) onProgress(message);
    }
  };
}

const Progress = z.object({ msg: z.string() });
const Failure = z.object({ code: z.enum(stackFaultCodes), message: z.string() });

/** Leaves the reason why a supervisor gives up, for the one who waits for it. */
export function reportFailure(home: string, fault: { code: StackFaultCode; message: string }): void {
  writeAtomically(failureFile(home), JSON.stringify({ code: fault.code, message: fault.message }));
}

function failureOf(home: string): StackFault {
  const text = readIfThere(failureFile(home));
  if (text !== undefined) {
    const { code, message } = Failure.parse(JSON.parse(text));
    return new StackFault(code, message);
  }
  const message = `The supervisor ended before the stack was ready. The end of its log ${logFile(home, 'supervisor')}:\n${logTail(home, 'supervisor')}`;
  return new StackFault('stack/not-ready', message);
}

function tooLate(home: string, stack: Stack | undefined): StackFault {
  const late = (stack?.processes ?? []).filter(({ role, state }) => state !== 'running' && role !== 'supervisor');
  const tails = late.map(({ role, state }) => `${role} is ${state}; the end of its log:\n${logTail(home, role)}`);
  return new StackFault('stack/not-ready', ['The stack was not ready in time.', ...tails].join('\n'));
}

/**
 * Ends the stack of a home: its supervisor, who ends the others, and what a killed supervisor left. Runs go on when it is
 * started again. Whether anything was running. At most 90 s, usually below 1 s.
 */
export async function stopStack(home: string): Promise<boolean> {
  const supervisor = homeOwner(home);
  if (supervisor !== undefined) await endProcess(supervisor, ending.supervisor);
  const stack = readStack(home);
  if (stack === undefined) return supervisor !== undefined;
  const leftovers = await endLeftovers(stack);
  writeStack({ ...stack, processes: stack.processes.map(stopped) });
  return supervisor !== undefined || leftovers > 0;
}

async function endLeftovers(stack: Stack): Promise<number> {
  let ended = 0;
  for (const group of endingOrder) {
    const living = group.flatMap((role) => livingOf(stack, role));
    await Promise.all(living.map(({ role, identity }) => endProcess(identity, ending[role])));
    ended += living.length;
  }
  return ended;
}

function livingOf(stack: Stack, role: StackRole) {
  const identity = livingProcess(stack, role);
  return identity === undefined ? [] : [{ role, identity }];
}

function stopped(process: Stack['processes'][number]): Stack['processes'][number] {
  if (process.state === 'external' || process.state === 'stopped') return process;
  return { ...process, pid: null, startMark: null, state: 'stopped', since: new Date().toISOString() };
}
