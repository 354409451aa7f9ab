import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventPage, RunShown } from '#core/contract/http.ts';
import type { RunEvent } from '#core/run/event.ts';
import { listen, type RunningServer } from '#api/server.ts';
import { sampleEvents } from '../test/fakes/sample-plan.ts';
import { bodyOf, withApi, type TestApi } from '../test/integration/with-api.ts';

let api: TestApi;
let server: RunningServer;
beforeAll(async () => {
  api = await withApi();
  server = await listen(api.app, { port: 0 });
});
afterAll(async () => {
  await server.close(0);
  await api.close();
});

const stop = { kind: 'succeeded', reason: 'every check passes' } as const;
const stopped: RunEvent = { type: 'run.stopped', at: 2_000, stop };
const events = (count: number): RunEvent[] => sampleEvents(1, count).map(({ event }) => event);

interface Stream {
  /** The next frame; undefined when the stream has ended. */
  next(): Promise<{ id?: string; data?: string; comment?: string } | undefined>;
  drop(): Promise<void>;
}

/** An event stream over a real socket. */
async function openStream(runId: string, lastEventId?: number): Promise<Stream & { status: number }> {
  const gone = new AbortController();
  const response = await fetch(`${server.url}/v1/runs/${runId}/events`, {
    headers: {
      authorization: 'Bearer a-token',
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
    signal: gone.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    status: response.status,
    async next() {
      while (!text.includes('\n\n')) {
        const read = await reader?.read();
        if (read === undefined || read.done) return undefined;
        text += read.value;
      }
      const end = text.indexOf('\n\n');
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [id, data, comment] = [field('id'), field('data'), field('')];
      return { ...(id && { id }), ...(data && { data }), ...(comment && { comment }) };
    },
    async drop() {
      gone.abort();
      await reader?.cancel().catch(() => undefined);
    },
  };
}

async function nextEvents(stream: Stream, count: number): Promise<number[]> {
  const seqs: number[] = [];
  while (seqs.length < count) {
    const frame = await stream.next();
    if (frame === undefined) break;
    if (frame.data === undefined) continue;
    const { seq } = JSON.parse(frame.data);
    expect(frame.id).toBe(String(seq));
    seqs.push(seq);
  }
  return seqs;
}

test('events come as pages, after a cursor, and the last page says so', async () => {
  const runId = await api.newRun();
  await api.record(runId, [...events(5), stopped], { status: 'ended', stop });
  const page = (query: string) => bodyOf(api.call(`/v1/runs/${runId}/events?${query}`), EventPage);
  const first = await page('limit=4');
  expect(first.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(first.ended).toBe(false);
  const rest = await page('after=4');
  expect(rest.events.map(({ seq }) => seq)).toEqual([5, 6]);
  expect(rest.ended).toBe(true);
  expect((await api.call(`/v1/runs/${runId}/events?after=-1`)).status).toBe(400);
});

test('a dropped stream goes on after its last event: every seq exactly once, the stop last, then it closes (E9, R035)', async () => {
  const runId = await api.newRun();
  await api.record(runId, events(6));
  const first = await openStream(runId);
  expect(await first.next()).toEqual({ comment: 'still here' });
  expect(await nextEvents(first, 6)).toEqual([1, 2, 3, 4, 5, 6]);
  await first.drop();
  await api.record(runId, events(23));
  const second = await openStream(runId, 6);
  expect(await nextEvents(second, 23)).toEqual(Array.from({ length: 23 }, (_, index) => index + 7));
  const live = nextEvents(second, 99);
  await api.record(runId, [stopped], { status: 'ended', stop });
  expect(await live).toEqual([30]);
  const shown = await bodyOf(api.call(`/v1/runs/${runId}`), RunShown);
  expect(shown.cursor).toBe(30);
});

test('a stream that has nothing more to tell is answered 204, which tells a browser to stay away', async () => {
  const runId = await api.newRun();
  await api.record(runId, [stopped], { status: 'ended', stop });
  expect((await openStream(runId, 1)).status).toBe(204);
});

test('a stop with more after it does not end the stream: the run was retried', async () => {
  const runId = await api.newRun();
  await api.record(runId, [...events(1), stopped], { status: 'ended', stop });
  await api.record(runId, [{ type: 'run.retried', at: 3_000, messageId: 'm' }]);
  const stream = await openStream(runId);
  expect(await nextEvents(stream, 3)).toEqual([1, 2, 3]);
  const rest = nextEvents(stream, 99);
  await api.record(runId, [stopped], { status: 'ended', stop });
  expect(await rest).toEqual([4]);
});

test('ten thousand events arrive in order', async () => {
  const runId = await api.newRun();
  await api.record(runId, [...events(10_000), stopped], { status: 'ended', stop });
  const seqs = await nextEvents(await openStream(runId), 10_001);
  expect(seqs).toEqual(Array.from({ length: 10_001 }, (_, index) => index + 1));
});

test('a client that goes leaves nothing behind', async () => {
  const runId = await api.newRun();
  const { subscribe } = api.parts.stream;
  const left = new Promise<void>((resolve) => {
    api.parts.stream.subscribe = (...subscription) => {
      const unsubscribe = subscribe(...subscription);
      return () => {
        unsubscribe();
        resolve();
      };
    };
  });
  const stream = await openStream(runId);
  await stream.next();
  await stream.drop();
  await expect(left).resolves.toBeUndefined();
  api.parts.stream.subscribe = subscribe;
});

test('a database that goes away ends a stream early, so that the client comes back; the server stays (E5)', async () => {
  const other = await withApi();
  const socket = await listen(other.app, { port: 0 });
  const runId = await other.newRun();
  const response = await fetch(`${socket.url}/v1/runs/${runId}/events`, {
    headers: { authorization: 'Bearer a-token', accept: 'text/event-stream' },
  });
  const rest = response.text();
  await other.database.query({
    text: `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen run_events'
      and datname = current_database()`,
    values: [],
  });
  await other.database.close();
  expect(await rest).not.toContain('data:');
  expect((await fetch(`${socket.url}/healthz`)).status).toBe(200);
  await socket.close(0);
  await Promise.all([other.parts.stream.close(), other.parts.engine.close()]);
});

test('the server closes although streams are open', async () => {
  const other = await listen(api.app, { port: 0 });
  const runId = await api.newRun();
  const response = await fetch(`${other.url}/v1/runs/${runId}/events`, {
    headers: { authorization: 'Bearer a-token', accept: 'text/event-stream' },
  });
  await other.close(50);
  await expect(response.text()).rejects.toThrow(TypeError);
});
