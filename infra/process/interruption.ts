import { setTimeout as delay } from 'node:timers/promises';
import type { ContainedEnd, ContainedSpec, OutputChunk } from '#infra/process/contained-spec.ts';

export type InterruptionReason = Exclude<ContainedEnd, 'exit' | 'spawn_failed'>;

/** Everything that can end a command before it exits, watched in one place. */
export interface Interruption {
  /** Settles with the first reason; rejects with what `onOutput` or `endAt` threw. Never settles otherwise. */
  tripped: Promise<InterruptionReason>;
  /** Takes a chunk of output: passes it on and looks at the limits that output can reach. */
  output(chunk: OutputChunk): void;
  /** By `now`, in milliseconds. */
  lastOutputAt(): number;
  /** From here on output is dropped. */
  deafen(): void;
  /** Stops all timers. */
  close(): void;
}

const longestTimerMs = 2 ** 31 - 1;

export function watchInterruption(spec: ContainedSpec, signal: AbortSignal, now: () => number): Interruption {
  const stopTimers = new AbortController();
  let lastOutput = now();
  let bytesSeen = 0;
  let deaf = false;
  let terminalSeen = false;
  let trip: (reason: InterruptionReason) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const tripped = new Promise<InterruptionReason>((resolve, reject) => {
    trip = resolve;
    fail = reject;
  });
  // Whoever stops waiting early (the command exited first) must not leave an unhandled rejection behind.
  tripped.catch(() => undefined);

  const after = (milliseconds: number, act: () => void) => {
    const timer = setTimeout(act, Math.min(milliseconds, longestTimerMs));
    stopTimers.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  const cancel = () => trip('cancelled');
  const watchQuiet = (quietMs: number) => {
    const left = lastOutput + quietMs - now();
    if (left <= 0) trip('quiet');
    else after(left, () => watchQuiet(quietMs));
  };

  const take = (chunk: OutputChunk) => {
    lastOutput = now();
    const room = (spec.outputLimitBytes ?? Infinity) - bytesSeen;
    bytesSeen += chunk.bytes.length;
    const { bytes } = chunk;
    if (room > 0) spec.onOutput(bytes.length > room ? { ...chunk, bytes: bytes.subarray(0, room) } : chunk);
    if (bytes.length > room) trip('output_limit');
    if (!terminalSeen && spec.endAt?.() === true) {
      terminalSeen = true;
      after((spec.graceSeconds ?? defaultGraceSeconds) * 1000, () => trip('terminal_event'));
    }
  };

  signal.addEventListener('abort', cancel, { once: true });
  after(spec.timeoutSeconds * 1000, () => trip('timeout'));
  if (spec.quietSeconds !== undefined) watchQuiet(spec.quietSeconds * 1000);

  return {
    tripped,
    output(chunk) {
      if (deaf) return;
      try {
        take(chunk);
      } catch (error) {
        deaf = true;
        fail(error);
      }
    },
    lastOutputAt: () => lastOutput,
    deafen: () => {
      deaf = true;
    },
    close() {
      stopTimers.abort();
      signal.removeEventListener('abort', cancel);
    },
  };
}

export const defaultGraceSeconds = 10;

/** A10: waits until output was quiet for 300 ms, at most 5 s after the leader's exit. */
export async function untilQuiet(lastOutputAt: () => number, now: () => number, stop: AbortSignal): Promise<void> {
  const exitedAt = now();
  for (;;) {
    const until = Math.min(Math.max(lastOutputAt(), exitedAt) + quietMs, exitedAt + quietAtMostMs);
    const left = until - now();
    if (left <= 0 || stop.aborted) return;
    await delay(left, undefined, { signal: stop }).catch(() => undefined);
  }
}

const quietMs = 300;
const quietAtMostMs = 5_000;
