import { setTimeout as delay } from 'node:timers/promises';
import { statSync } from 'node:fs';
import { Fault } from '#core/contract/fault.ts';
import { startChild, type ContainedChild, type LeaderExit } from '#infra/process/contained-child.ts';
import type { ContainedResult, ContainedSpec } from '#infra/process/contained-spec.ts';
import { killContainment, type Leftover } from '#infra/process/containment.ts';
import { errorCode } from '#infra/process/error-code.ts';
import { findExecutable } from '#infra/process/executable.ts';
import {
  defaultGraceSeconds,
  untilQuiet,
  watchInterruption,
  type Interruption,
  type InterruptionReason,
} from '#infra/process/interruption.ts';
import { outOfMemoryKills, wasOutOfMemory } from '#infra/process/out-of-memory.ts';
import { commandOf } from '#infra/process/process-table.ts';
import type { Sandbox } from '#infra/sandbox/sandbox.ts';

export interface ContainedDeps {
  sandbox: Sandbox;
  /** Abort cancels the command: SIGTERM, grace, SIGKILL. */
  signal: AbortSignal;
  /** Monotonic milliseconds; default `performance.now`. */
  now?: () => number;
}

/** A11: a longer word in argv or environment is refused before anything is spent; it belongs in stdin or a file. */
const longestWordBytes = 65_536;
const drainMs = 1_000;

/**
 * Runs one command in a containment and returns when nothing of it is alive any more (A10, A13, H2).
 * A non-zero exit, a time limit or a missing program is a result. Throws Fault `agent/prompt-too-large`,
 * `workspace/missing` (no cwd) or `sandbox/unavailable` (the sandbox did not start the command) or `host/crashed` (it broke), and whatever
 * `onOutput` throws, after the containment has ended.
 */
export async function runContained(spec: ContainedSpec, deps: ContainedDeps): Promise<ContainedResult> {
  const now = deps.now ?? (() => performance.now());
  const startedAt = now();
  refuseLongWords(spec);
  if (statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Fault('workspace/missing', `The folder ${spec.cwd} in which a command was to run does not exist.`);
  }
  if (deps.signal.aborted) return nothingRan({ ended: 'cancelled' });
  const found = findExecutable(spec.argv[0], { path: spec.env['PATH'] ?? '', cwd: spec.cwd });
  if (found.kind !== 'found') return nothingRan({ ended: 'spawn_failed', spawnFailure: found.kind });

  const killsBefore = outOfMemoryKills();
  const interruption = watchInterruption(spec, deps.signal, now);
  try {
    const child = await startChild(spec, deps.sandbox, found.path, (chunk) => interruption.output(chunk));
    const end = await follow(child, { spec, interruption, now });
    const { exit, ...facts } = end;
    return {
      exitCode: exit.code,
      ...(exit.signal === undefined ? {} : { signal: exit.signal }),
      oomKilled: !end.killedByUs && wasOutOfMemory(exit.code, killsBefore),
      ended: facts.ended,
      waitedForInput: facts.waitedForInput,
      leftovers: facts.leftovers,
      durationMs: now() - startedAt,
    };
  } catch (error) {
    const spawnFailure = spawnFailureOf(error);
    if (spawnFailure === undefined) throw error;
    return nothingRan({ ended: 'spawn_failed', spawnFailure });
  } finally {
    interruption.close();
  }
}

interface Following {
  spec: ContainedSpec;
  interruption: Interruption;
  now: () => number;
}

interface Followed {
  exit: LeaderExit;
  ended: 'exit' | InterruptionReason;
  killedByUs: boolean;
  waitedForInput: boolean;
  leftovers: Leftover[];
}

async function follow(child: ContainedChild, following: Following): Promise<Followed> {
  const { interruption, spec } = following;
  try {
    const ended = await Promise.race([child.leaderExit.then(() => 'exit' as const), interruption.tripped]);
    if (ended === 'exit') {
      await settle(child, following);
      return { ...(await clear(child, spec)), ended, killedByUs: false, waitedForInput: false };
    }
    const timedOut = ended === 'timeout' || ended === 'quiet';
    const waitedForInput = timedOut && child.containment.waitsForInput();
    const obeyed = await terminate(child, spec);
    return { ...(await clear(child, spec)), ended, killedByUs: !obeyed, waitedForInput };
  } catch (error) {
    interruption.deafen();
    await terminate(child, spec);
    await clear(child, spec);
    throw error;
  } finally {
    child.close();
  }
}

/** A10: after the leader's exit, output counts until the pipes close or were quiet for long enough. */
async function settle(child: ContainedChild, { interruption, now }: Following): Promise<void> {
  if (child.held && child.containment.members().length === 0) return;
  const stop = new AbortController();
  const closed = child.outputClosed.then(() => stop.abort());
  await Promise.race([closed, untilQuiet(() => interruption.lastOutputAt(), now, stop.signal)]);
  interruption.deafen();
}

/** SIGTERM to all, then waits for the leader through the grace; false when it did not go by itself. */
async function terminate(child: ContainedChild, spec: ContainedSpec): Promise<boolean> {
  child.containment.signal('SIGTERM');
  const stop = new AbortController();
  const graceMs = (spec.graceSeconds ?? defaultGraceSeconds) * 1000;
  const obeyed = await Promise.race([
    child.leaderExit.then(() => true),
    delay(graceMs, false, { signal: stop.signal }).catch(() => false),
  ]);
  stop.abort();
  return obeyed;
}

/** Kills and lists what is left, confirms that it is gone, and lets the sandbox end. */
async function clear(child: ContainedChild, spec: ContainedSpec): Promise<{ exit: LeaderExit; leftovers: Leftover[] }> {
  const leader = child.leader();
  const alive = child.containment.members();
  const left = alive.filter((pid) => pid !== leader);
  const leftovers = left.map((pid) => ({ pid: Math.abs(pid), command: commandOf(pid) }));
  if (alive.length > 0) await child.containment.kill();
  const exit = await child.leaderExit;
  await child.release();
  // A sandbox that ended before it could report may not have taken everything along.
  if (child.held && !exit.reported) await killContainment(spec.containmentId);
  await Promise.race([child.outputClosed, delay(drainMs, undefined, { ref: false })]);
  if (child.held && !exit.reported && exit.signal === undefined) throw brokenSandbox(exit);
  return { exit, leftovers };
}

/** No signal and no report: it is the sandbox's own failure, before the command began or (no process was to be had) at it. */
function brokenSandbox({ started, code }: LeaderExit): Fault {
  if (started) {
    return new Fault('host/crashed', `The sandbox ended (exit ${String(code)}) and did not say how the command ended.`);
  }
  return new Fault(
    'sandbox/unavailable',
    'bwrap did not start the command. Its own message is in the output; check that the folders of the step exist and that user namespaces are allowed.',
  );
}

function refuseLongWords(spec: ContainedSpec): void {
  const long = (word: string) => word.length > longestWordBytes / 4 && Buffer.byteLength(word) > longestWordBytes;
  if (spec.argv.some(long) || Object.values(spec.env).some(long)) {
    throw new Fault(
      'agent/prompt-too-large',
      'A text of more than 64 KiB was to travel in the command line or the environment. Give it by stdin or in a file.',
    );
  }
}

function nothingRan(end: Pick<ContainedResult, 'ended' | 'spawnFailure'>): ContainedResult {
  return { exitCode: null, oomKilled: false, waitedForInput: false, leftovers: [], durationMs: 0, ...end };
}

/** A spawn that failed after the program was found: its interpreter is missing, or the system refused. */
function spawnFailureOf(error: unknown): 'not_found' | 'not_executable' | 'failed' | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !String(error.syscall).startsWith('spawn'))
    return undefined;
  if (errorCode(error) === 'ENOENT') return 'not_found';
  return ['EACCES', 'ENOEXEC', 'EPERM'].includes(errorCode(error) ?? '') ? 'not_executable' : 'failed';
}
