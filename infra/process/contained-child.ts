import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { Duplex, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContainedSpec, OutputChunk } from '#infra/process/contained-spec.ts';
import { heldLeader, namespaceContainment, openContainment, type Containment } from '#infra/process/containment.ts';
import { containmentVariable } from '#infra/process/process-table.ts';
import { heldStarted, isLoaderVariable } from '#infra/sandbox/bwrap.ts';
import type { Sandbox } from '#infra/sandbox/sandbox.ts';

export interface LeaderExit {
  code: number;
  signal?: string;
  /** False when the sandbox did not come so far as to start the command. */
  started: boolean;
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
    provided: spec.provided ?? [],
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
    leaderExit: channel === undefined ? ended : heldExit(channel, ended),
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
    child.on('error', () => done({ code: 127, started: false, reported: false }));
    child.once('exit', (code, signal) => {
      const exit = signal === null ? { code: code ?? 0 } : { code: 128 + constants.signals[signal], signal };
      done({ ...exit, started: true, reported: false });
    });
  });
}

/**
 * How a held command ended, by the holder's line or, when the sandbox ended first, by the sandbox's own end: a command
 * that kills its holder (`pkill -f`, with a word that its own command line holds) ended by that signal.
 */
async function heldExit(channel: Duplex, ended: Promise<LeaderExit>): Promise<LeaderExit> {
  const said = listenToHolder(channel);
  const first = await Promise.race([said.exit, ended]);
  if (first.reported) return first;
  // What was said before the end may not have been read yet.
  await Promise.race([said.closed, delay(releaseMs, undefined, { ref: false })]);
  const code = said.code();
  if (code !== undefined) return { ...exitOf(code), started: true, reported: true };
  return { ...exitOf(first.code), ...first, started: said.started() };
}

interface Said {
  started(): boolean;
  code(): number | undefined;
  /** Never settles if the sandbox ends first. */
  exit: Promise<LeaderExit>;
  closed: Promise<void>;
}

function listenToHolder(channel: Duplex): Said {
  let text = '';
  const lines = () => text.split('\n').slice(0, -1);
  const code = () => (lines()[1] === undefined ? undefined : Number(lines()[1]));
  const closedChannel = new Promise<void>((done) => {
    channel.on('error', () => channel.destroy()).once('close', () => done());
  });
  const exit = new Promise<LeaderExit>((done) => {
    channel.on('data', (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString('latin1');
      const said = code();
      if (said !== undefined) done({ ...exitOf(said), started: true, reported: true });
    });
  });
  return { started: () => lines()[0] === heldStarted, code, exit, closed: closedChannel };
}

/** A shell, and bwrap, tell an end by a signal as 128 + its number. */
function exitOf(code: number): { code: number; signal?: string } {
  const signal = code > 128 ? signalName(code - 128) : undefined;
  return { code, ...(signal === undefined ? {} : { signal }) };
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

function withoutLoader(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLoaderVariable(name)));
}
