import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { Duplex, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContainedSpec, OutputChunk } from '#infra/process/contained-spec.ts';
import { heldLeader, namespaceContainment, openContainment, type Containment } from '#infra/process/containment.ts';
import { containmentVariable } from '#infra/process/process-table.ts';
import { isLoaderVariable } from '#infra/sandbox/bwrap.ts';
import type { Sandbox } from '#infra/sandbox/sandbox.ts';

export interface LeaderExit {
  code: number;
  signal?: string;
  /** False when the sandbox ended before it could say how the command ended. */
  reported: boolean;
}

/** A started command with the two facts that A10 keeps apart: that its leader exited, and that its pipes closed. */
export interface ContainedChild {
  containment: Containment;
  leader(): number | undefined;
  /** True when the command runs under a holder, which keeps the pipes open until `release`. */
  held: boolean;
  leaderExit: Promise<LeaderExit>;
  outputClosed: Promise<void>;
  /** Lets the holder go and waits until the sandbox's own processes have ended. */
  release(): Promise<void>;
  /** Stops reading: nothing that arrives later counts. */
  close(): void;
}

const releaseMs = 2_000;

/** Spawns the command in its sandbox. Rejects with the system's error when it cannot be started. */
export async function startChild(
  spec: ContainedSpec,
  sandbox: Sandbox,
  executable: string,
  onChunk: (chunk: OutputChunk) => void,
): Promise<ContainedChild> {
  const { argv, cwd, held } = sandbox.launch({
    argv: sandbox.kind === 'none' ? spec.argv : [executable, ...spec.argv.slice(1)],
    cwd: spec.cwd,
    env: spec.env,
    workspace: spec.workspace,
    writable: spec.writable,
    readable: spec.readable ?? [],
    network: spec.network ?? true,
  });
  const child = spawn(argv[0], argv.slice(1), {
    cwd,
    env: { ...(held ? withoutLoader(spec.env) : spec.env), [containmentVariable]: spec.containmentId },
    detached: true,
    stdio: [spec.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(held ? (['pipe'] as const) : [])],
  });
  const ended = endOf(child);
  listen(child, onChunk);
  const outputClosed = Promise.all([child.stdout, child.stderr].map((stream) => closed(stream))).then(() => undefined);
  if (child.pid === undefined) await once(child, 'spawn');
  feed(child, spec.stdin);
  return assemble(child, { held, containmentId: spec.containmentId, ended, outputClosed });
}

interface Started {
  held: boolean;
  containmentId: string;
  ended: Promise<LeaderExit>;
  outputClosed: Promise<void>;
}

function assemble(child: ChildProcess, started: Started): ContainedChild {
  const pid = child.pid ?? 0;
  const { held, ended, outputClosed } = started;
  const report = held ? child.stdio[3] : undefined;
  const channel = report instanceof Duplex ? report : undefined;
  return {
    containment: held ? namespaceContainment(pid) : openContainment(pid, started.containmentId),
    leader: () => (held ? heldLeader(pid) : pid),
    held,
    leaderExit: channel === undefined ? ended : Promise.race([reportedExit(channel), ended]),
    outputClosed,
    async release() {
      if (channel === undefined) return;
      channel.end();
      const gone = await Promise.race([ended.then(() => true), delay(releaseMs, false, { ref: false })]);
      if (!gone) child.kill('SIGKILL');
      await ended;
    },
    close() {
      for (const stream of [child.stdin, child.stdout, child.stderr, channel]) stream?.destroy();
    },
  };
}

function listen(child: ChildProcess, onChunk: (chunk: OutputChunk) => void): void {
  child.stdout?.on('data', (bytes: Uint8Array) => onChunk({ stream: 'stdout', bytes }));
  child.stderr?.on('data', (bytes: Uint8Array) => onChunk({ stream: 'stderr', bytes }));
}

function closed(stream: Readable | null): Promise<void> {
  return new Promise((done) => {
    if (stream === null) done();
    // A pipe that breaks is closed as well: what was read until then counts.
    else stream.on('error', () => done()).once('close', () => done());
  });
}

function feed(child: ChildProcess, text: string | undefined): void {
  if (child.stdin === null || text === undefined) return;
  // A command may exit without reading its input; that is its right and no failure of ours.
  child.stdin.on('error', () => child.stdin?.destroy());
  child.stdin.end(text);
}

function endOf(child: ChildProcess): Promise<LeaderExit> {
  return new Promise((done) => {
    child.on('error', () => done({ code: 127, reported: false }));
    child.once('exit', (code, signal) => {
      if (signal !== null) done({ code: 128 + constants.signals[signal], signal, reported: false });
      else done({ code: code ?? 0, reported: false });
    });
  });
}

/** The holder's line with the exit code. Never settles if the sandbox ends first. */
function reportedExit(channel: Duplex): Promise<LeaderExit> {
  return new Promise((done) => {
    let text = '';
    channel.on('error', () => channel.destroy());
    channel.on('data', (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString('latin1');
      if (!text.includes('\n')) return;
      const code = Number(text.trim());
      const signal = code > 128 ? signalName(code - 128) : undefined;
      done({ code, ...(signal === undefined ? {} : { signal }), reported: true });
    });
  });
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

function withoutLoader(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLoaderVariable(name)));
}
