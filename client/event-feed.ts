import type { Http } from '#client/http.ts';
import { messageOf, SetpointProblem, SetpointUnreachable, unexpectedAnswer } from '#client/problem.ts';
import type { StoredEvent } from '#client/schema.ts';
import { readSse, type SseFrame } from '#client/sse-reader.ts';

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

export interface WatchOptions {
  /** Sequence number to go on after; 0, the default, is from the start. */
  after?: number;
  signal?: AbortSignal;
  /** Hears that the connection was lost (with the cause) and that it stands again. */
  onConnection?: (state: 'lost' | 'back', cause: string) => void;
  patience?: FeedPatience;
}

/** A run, and where it is asked for. */
export interface Watched {
  http: Http;
  url: string;
  runId: string;
}

/**
 * Every event of a run exactly once and in order, until the run has stopped or `signal` aborts (then it just ends).
 * A lost connection is made again after the last event seen (E9), so that restarts of the server go unnoticed.
 * Throws `SetpointProblem` when the server refuses, and `SetpointUnreachable` when none answers for `giveUpMs`.
 */
export async function* watchEvents(watched: Watched, options: WatchOptions = {}): AsyncGenerator<StoredEvent> {
  const { patience = feedPatience, after = 0, signal: leave = new AbortController().signal, onConnection } = options;
  const cursor: Cursor = { seq: after, stopped: false, over: false, aliveAt: Date.now() };
  const absence = newAbsence(watched.url, patience, onConnection);
  while (!leave.aborted) {
    const connection = new AbortController();
    const drop = (): void => connection.abort(leave.reason);
    leave.addEventListener('abort', drop);
    try {
      const response = await openStream(watched, cursor.seq, connection.signal);
      absence.ended();
      yield* eventsOf(response, cursor, { connection, patience });
    } catch (error) {
      const left = leave.aborted || (cursor.stopped && connection.signal.aborted);
      if (!left) absence.began(error, cursor.aliveAt);
    } finally {
      leave.removeEventListener('abort', drop);
      connection.abort();
    }
    if (cursor.stopped || cursor.over) return;
    await absence.wait(leave);
  }
}

async function openStream({ http, runId }: Watched, after: number, signal: AbortSignal): Promise<Response> {
  const headers = { accept: 'text/event-stream', ...(after > 0 ? { 'last-event-id': String(after) } : {}) };
  const params = { path: { runId } };
  const { response } = await http.GET('/v1/runs/{runId}/events', { params, headers, signal, parseAs: 'stream' });
  return response;
}

interface Absence {
  began(error: unknown, aliveAt: number): void;
  ended(): void;
  wait(leave: AbortSignal): Promise<void>;
}

/** Bookkeeping of lost connections: says each loss once, waits longer each time, and gives up in the end. */
function newAbsence(url: string, patience: FeedPatience, onConnection: WatchOptions['onConnection']): Absence {
  let waitMs = patience.firstWaitMs;
  let lost = false;
  return {
    began: (error, aliveAt) => {
      if (error instanceof SetpointProblem && error.status < 500) throw error;
      const cause = messageOf(error);
      if (!lost) onConnection?.('lost', cause);
      lost = true;
      if (Date.now() - aliveAt <= patience.giveUpMs) return;
      throw new SetpointUnreachable(url, `${url} did not come back: ${cause}`, { cause: error });
    },
    ended: () => {
      if (lost) onConnection?.('back', '');
      lost = false;
      waitMs = patience.firstWaitMs;
    },
    wait: async (leave) => {
      await pause(waitMs, leave);
      waitMs = Math.min(waitMs * 2, patience.longestWaitMs);
    },
  };
}

/** Over early when `leave` aborts. */
async function pause(ms: number, leave: AbortSignal): Promise<void> {
  if (leave.aborted) return;
  await new Promise<void>((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      leave.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    leave.addEventListener('abort', over);
  });
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
  let timer: ReturnType<typeof setTimeout> | undefined;
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
    for await (const frame of readSse(chunksOf(response.body, watch.connection.signal), heard)) {
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

/**
 * The chunks of a body, until `signal` aborts: then it throws the reason. The body is cancelled here and not by the
 * request, which may have been collected while its body is still read (Node 20): it then hears of no abort.
 */
async function* chunksOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  // A body that broke at the same moment cannot be cancelled: the read tells of it.
  const drop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', drop);
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', drop);
  }
}

/** Frames without an id are snapshots and pings: they carry no event. */
function storedEventOf(frame: SseFrame): StoredEvent | undefined {
  if (frame.id === undefined) return undefined;
  const data: unknown = JSON.parse(frame.data);
  if (isStoredEvent(data)) return data;
  throw unexpectedAnswer(`event ${frame.id} has a shape that this version does not know`, 200);
}

/** As far as the feed itself needs it. A newer server may send kinds of event that are not in the type. */
function isStoredEvent(data: unknown): data is StoredEvent {
  if (typeof data !== 'object' || data === null || !('seq' in data && 'event' in data)) return false;
  const { seq, event } = data;
  return typeof seq === 'number' && typeof event === 'object' && event !== null && 'type' in event;
}
