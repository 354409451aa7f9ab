export interface OutputChunk {
  stream: 'stdout' | 'stderr';
  bytes: Uint8Array;
}

/** One command to run in a containment of its own. Paths are absolute. */
export interface ContainedSpec {
  argv: readonly [string, ...string[]];
  cwd: string;
  /** The whole environment, from `buildEnvironment` (H4, A13); nothing of the host's own is added but the marker. */
  env: Readonly<Record<string, string>>;
  /** Text that the command reads, then the end of the file. Absent: /dev/null. */
  stdin?: string;
  workspace: { path: string; access: 'write' | 'read' };
  /** More folders that may be written, such as the agent's home. */
  writable: readonly string[];
  readable?: readonly string[];
  /** Files and folders that are seen, read-only, at another place, which must exist; only a sandbox can do it. */
  provided?: readonly { from: string; at: string }[];
  /** Default true. False takes the network away where the sandbox can. */
  network?: boolean;
  /** Wall limit, not reset by progress (H2). */
  timeoutSeconds: number;
  /** Ends the command when it wrote nothing for so long (H2). Absent: no such limit. */
  quietSeconds?: number;
  /** From SIGTERM to SIGKILL; default 10. */
  graceSeconds?: number;
  /** Globally unique; names the containment for `killContainment`. */
  containmentId: string;
  /** Called in order of arrival. What it throws ends the command and is thrown by `runContained`. */
  onOutput(chunk: OutputChunk): void;
  /** True once the caller saw the terminal event: the command then has `graceSeconds` to exit by itself. */
  endAt?: () => boolean;
  /** Of both streams together. What is beyond it is not passed on, and the command is ended. */
  outputLimitBytes?: number;
}

export type ContainedEnd =
  | 'exit'
  | 'timeout'
  | 'quiet'
  | 'cancelled'
  | 'output_limit'
  | 'terminal_event'
  | 'spawn_failed';

export interface ContainedResult {
  /** 128 + n when signal n ended the command; null only if nothing ran. */
  exitCode: number | null;
  /** The signal that ended the command. In a pid namespace it is read from the exit code, as a shell does. */
  signal?: string;
  ended: ContainedEnd;
  /** With `spawn_failed`: why the program could not be started (B10). */
  spawnFailure?: 'not_found' | 'not_executable' | 'failed';
  /** The kernel killed it for want of memory: SIGKILL that is not ours while the kernel's count of such kills rose. */
  oomKilled: boolean;
  /** It was ended by a time limit while it read from a terminal, where nobody types (A13). */
  waitedForInput: boolean;
  /** What the command left running; all of it was killed before this result was given (A10). */
  leftovers: { pid: number; command: string }[];
  durationMs: number;
}

/** B10: why a result says nothing about the work, undefined when it does. */
export function reasonItCouldNotRun(
  result: ContainedResult,
): 'not_found' | 'not_executable' | 'failed' | 'out_of_memory' | undefined {
  if (result.ended === 'spawn_failed') return result.spawnFailure ?? 'failed';
  if (result.oomKilled) return 'out_of_memory';
  if (result.ended !== 'exit') return undefined;
  if (result.exitCode === 127) return 'not_found';
  return result.exitCode === 126 ? 'not_executable' : undefined;
}
