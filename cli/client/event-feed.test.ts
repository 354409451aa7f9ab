import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { afterEach, expect, test } from 'vitest';

import type { StoredEvent } from '#core/run/event.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { type FeedOptions, type FeedPatience, followEvents } from '#cli/client/event-feed.ts';
import { problem, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { runId, sendFrames, stream, twoPasses } from '#cli/testing/sample-run.ts';

const route = `GET /v1/runs/${runId}/events`;
const patience: FeedPatience = { firstWaitMs: 1, longestWaitMs: 5, silenceMs: 200, giveUpMs: 10_000, afterStopMs: 20 };

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

function feedOf(url: string, options: Partial<FeedOptions> = {}): AsyncGenerator<StoredEvent> {
  const client = createApiClient({ url, token: 'secret', remedy: 'start it' });
  return followEvents(client, runId, { signal: new AbortController().signal, patience, ...options });
}

async function all(feed: AsyncGenerator<StoredEvent>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of feed) seqs.push(seq);
  return seqs;
}

const everySeq = twoPasses.map(({ seq }) => seq);

test('every event comes once and in order, and the feed ends with the run (E9)', async () => {
  server = await startScriptedServer();
  server.on(route, stream(twoPasses));
  expect(await all(feedOf(server.url))).toEqual(everySeq);
  expect(server.received[0]?.headers).toMatchObject({ authorization: 'Bearer secret', accept: 'text/event-stream' });
});

test('after a cut connection the feed goes on after the last stored event, whatever the pings said (E9, R035)', async () => {
  server = await startScriptedServer();
  server.on(route, (received, response) => {
    const after = Number(received.headers['last-event-id'] ?? 0);
    sendFrames(response, twoPasses.slice(after, after + 4));
    response.write('data: {"snapshot":true}\n\n: still here\n\n', () => {
      if (after + 4 < twoPasses.length) response.destroy();
      else response.end();
    });
  });
  expect(await all(feedOf(server.url))).toEqual(everySeq);
  expect(server.received.map((request) => request.headers['last-event-id'])).toEqual([undefined, '4', '8', '12', '16']);
});

test('a restart of the server on the same port is survived and told once each way', async () => {
  const first = await startScriptedServer();
  server = first;
  first.on(route, (_received, response) => sendFrames(response, twoPasses.slice(0, 3)));
  const told: string[] = [];
  const feed = feedOf(first.url, {
    onConnection: (state) => {
      told.push(state);
    },
  });
  const seqs: number[] = [];
  for await (const { seq } of feed) {
    seqs.push(seq);
    if (seq !== 3) continue;
    await first.stop();
    server = await startScriptedServer(first.port);
    server.on(route, stream(twoPasses));
  }
  expect(seqs).toEqual(everySeq);
  expect(told).toEqual(['lost', 'back']);
});

test('events that the server sends again are not told again (E9)', async () => {
  server = await startScriptedServer();
  server.on(route, (_received, response) => {
    sendFrames(response, [...twoPasses.slice(0, 5), ...twoPasses]);
    response.end();
  });
  expect(await all(feedOf(server.url))).toEqual(everySeq);
});

test('an earlier stop of a run that was retried does not end the feed (E8)', async () => {
  const last = twoPasses.length;
  const retried: StoredEvent[] = [
    ...twoPasses,
    { seq: last + 1, event: { type: 'run.retried', at: 1, messageId: 'm' } },
    { seq: last + 2, event: { type: 'run.stopped', at: 2, stop: { kind: 'cancelled', reason: 'asked' } } },
  ];
  server = await startScriptedServer();
  server.on(route, stream(retried));
  expect(await all(feedOf(server.url))).toEqual([...everySeq, last + 1, last + 2]);
});

test('the feed ends soon after the stop when the server leaves the stream open (E9)', async () => {
  server = await startScriptedServer();
  server.on(route, (_received, response) => sendFrames(response, twoPasses));
  expect(await all(feedOf(server.url))).toEqual(everySeq);
});

test('nothing after the cursor of an ended run is the end', async () => {
  server = await startScriptedServer();
  server.on(route, (_received, response) => void response.writeHead(204).end());
  expect(await all(feedOf(server.url, { after: 18 }))).toEqual([]);
});

test('a silent connection is made again', async () => {
  server = await startScriptedServer();
  let connections = 0;
  server.on(route, (received, response) => {
    connections += 1;
    if (connections === 1) sendFrames(response, twoPasses.slice(0, 2));
    else stream(twoPasses)(received, response);
  });
  expect(await all(feedOf(server.url))).toEqual(everySeq);
  expect(connections).toBe(2);
});

test('a refusal ends the feed with its cause and exit code 2', async () => {
  server = await startScriptedServer();
  server.on(route, problem(404, 'run/not-found', 'There is no such run.'));
  await expect(all(feedOf(server.url))).rejects.toMatchObject({
    exitCode: 2,
    message: 'There is no such run. (run/not-found)',
  });
});

test('a server that stays away ends the feed with exit code 5 and says how to come back', async () => {
  server = await startScriptedServer();
  const { url } = server;
  await server.stop();
  await expect(all(feedOf(url, { patience: { ...patience, giveUpMs: 20 } }))).rejects.toMatchObject({
    exitCode: 5,
    remedy: `start it; then \`setpoint watch ${runId}\``,
  });
});

test('leaving ends the feed without an error', async () => {
  server = await startScriptedServer();
  server.on(route, (_received, response) => sendFrames(response, twoPasses.slice(0, 2)));
  const leave = new AbortController();
  const seqs: number[] = [];
  for await (const { seq } of feedOf(server.url, { signal: leave.signal })) {
    seqs.push(seq);
    if (seq === 2) leave.abort();
  }
  expect(seqs).toEqual([1, 2]);
});

test('T-23: a feed that was quiet for long ends when the person leaves, also after collections of garbage', async () => {
  server = await startScriptedServer();
  server.on(route, (_received, response) => sendFrames(response, twoPasses.slice(0, 1)));
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const leave = new AbortController();
  const feed = feedOf(server.url, { signal: leave.signal, patience: { ...patience, silenceMs: 60_000 } });
  await feed.next();
  const quiet = feed.next();
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  leave.abort();
  expect(await quiet).toMatchObject({ done: true });
});
