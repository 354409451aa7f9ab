import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

import { RunEvent, type StoredEvent } from '#core/run/event.ts';

import type { ApiClient } from '#cli/client/api-client.ts';
import { ApiProblem, ServerUnreachable } from '#cli/client/api-problem.ts';
import { readSse, type SseFrame } from '#cli/client/sse-reader.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';

/** The waits of a feed, in milliseconds. */
export interface FeedPatience {
  /** First wait before a new connection; doubles up to `longestWaitMs`. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** Silence, pings included, after which a connection counts as dead. */
  silenceMs: number;
  /** How long no connection may succeed before the feed gives up. */
  giveUpMs: number;
  /** How long a stream may stay open after `run.stopped`: a retried run has more to tell after an earlier stop. */
  afterStopMs: number;
}

export const feedPatience: FeedPatience = {
  firstWaitMs: 200,
  longestWaitMs: 5_000,
  silenceMs: 60_000,
  giveUpMs: 15 * 60_000,
  afterStopMs: 1_000,
};

export interface FeedOptions {
  /** Sequence number to go on after; 0 = from the start. */
  after?: number;
  signal: AbortSignal;
  /** Hears that the connection was lost (with the cause) and that it stands again. */
  onConnection?: (state: 'lost' | 'back', cause: string) => void;
  patience?: FeedPatience;
}

const Stored = z.object({ seq: z.number().int(), event: RunEvent });

/**
 * Every event of a run exactly once and in order, until the run has stopped or `signal` aborts (then it just ends).
 * A lost connection is made again after the last event seen (E9), so that restarts of the server go unnoticed.
 * Throws `ApiProblem` when the server refuses, and a failure with exit code 5 when none answers for `giveUpMs`.
 */
export async function* followEvents(
  client: ApiClient,
  runId: string,
  options: FeedOptions,
): AsyncGenerator<StoredEvent> {
  const patience = options.patience ?? feedPatience;
  const cursor: Cursor = { seq: options.after ?? 0, stopped: false, over: false, aliveAt: Date.now() };
  const absence = newAbsence(client, runId, options);
  while (!options.signal.aborted) {
    const connection = new AbortController();
    const signal = AbortSignal.any([options.signal, connection.signal]);
    try {
      const response = await client.stream(runId, cursor.seq, signal);
      absence.ended();
      yield* eventsOf(response, cursor, { connection, patience });
    } catch (error) {
      const left = options.signal.aborted || (cursor.stopped && connection.signal.aborted);
      if (!left) absence.began(error, cursor.aliveAt);
    } finally {
      connection.abort();
    }
    if (cursor.stopped || cursor.over) return;
    await absence.wait();
  }
}

/** Bookkeeping of lost connections: says each loss once, waits longer each time, and gives up in the end. */
function newAbsence(
  client: ApiClient,
  runId: string,
  options: FeedOptions,
): { began: (error: unknown, aliveAt: number) => void; ended: () => void; wait: () => Promise<void> } {
  const patience = options.patience ?? feedPatience;
  let waitMs = patience.firstWaitMs;
  let lost = false;
  return {
    began: (error, aliveAt) => {
      const cause = mayTryAgain(error);
      if (!lost) options.onConnection?.('lost', cause);
      lost = true;
      if (Date.now() - aliveAt > patience.giveUpMs) throw gaveUp(client, runId, cause);
    },
    ended: () => {
      if (lost) options.onConnection?.('back', '');
      lost = false;
      waitMs = patience.firstWaitMs;
    },
    wait: async () => {
      await delay(waitMs, undefined, { signal: options.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, patience.longestWaitMs);
    },
  };
}

interface Cursor {
  seq: number;
  stopped: boolean;
  /** The server says that nothing follows. */
  over: boolean;
  /** When the server was last heard, epoch ms. */
  aliveAt: number;
}

/** Events of one connection. The connection is aborted when it falls silent, or stays open after the run stopped. */
async function* eventsOf(
  response: Response,
  cursor: Cursor,
  watch: { connection: AbortController; patience: FeedPatience },
): AsyncGenerator<StoredEvent> {
  cursor.over = response.status === 204;
  if (response.body === null) return;
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    cursor.aliveAt = Date.now();
    clearTimeout(timer);
    const limitMs = cursor.stopped ? watch.patience.afterStopMs : watch.patience.silenceMs;
    timer = setTimeout(() => watch.connection.abort(new Error('the connection fell silent')), limitMs);
  };
  const heard = (): void => {
    if (!cursor.stopped) arm();
  };
  arm();
  try {
    for await (const frame of readSse(response.body, heard)) {
      const stored = storedEventOf(frame);
      if (stored === undefined || stored.seq <= cursor.seq) continue;
      cursor.seq = stored.seq;
      cursor.stopped = stored.event.type === 'run.stopped';
      arm();
      yield stored;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Frames without an id are snapshots and pings: they carry no event. */
function storedEventOf(frame: SseFrame): StoredEvent | undefined {
  if (frame.id === undefined) return undefined;
  const data: unknown = JSON.parse(frame.data);
  const stored = Stored.safeParse(data);
  if (stored.success) return stored.data;
  throw new CliFailure(exitCodes.infrastructure, `event ${frame.id} has a shape that this version does not know`, {
    remedy: 'use the same version of setpoint on both sides',
    cause: stored.error,
  });
}

function mayTryAgain(error: unknown): string {
  if (error instanceof ApiProblem && error.problem.status < 500) throw error;
  if (error instanceof CliFailure && !(error instanceof ServerUnreachable) && !(error instanceof ApiProblem))
    throw error;
  return messageOf(error);
}

function gaveUp(client: ApiClient, runId: string, cause: string): CliFailure {
  return new CliFailure(exitCodes.infrastructure, `${client.server.url} did not come back: ${cause}`, {
    remedy: `${client.server.remedy}; then \`setpoint watch ${runId}\``,
  });
}
