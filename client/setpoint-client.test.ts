import { afterEach, beforeEach, expect, test } from 'vitest';

import { createSetpointClient, SetpointProblem, type SetpointClient } from '#client/index.ts';
import { json, problem, type ScriptedServer, startScriptedServer, text } from '#cli/testing/scripted-server.ts';
import { runId, sendFrames, twoPasses } from '#cli/testing/sample-run.ts';

let server: ScriptedServer;
let setpoint: SetpointClient;

beforeEach(async () => {
  server = await startScriptedServer();
  setpoint = createSetpointClient({ url: `${server.url}/`, token: 'secret' });
});

afterEach(() => server.stop());

test('a call sends path, query, header, body and token', async () => {
  server.on('POST /v1/runs', json({ runId }, 201));
  server.on('GET /v1/runs', json({ runs: [] }));
  await setpoint.startRun({ body: { source: 'x' }, header: { 'idempotency-key': 'k' } });
  await setpoint.listRuns({ query: { status: 'paused', limit: 2 } });
  await setpoint.readDiff('a/b?').catch(() => undefined);
  expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/runs',
    'GET /v1/runs?status=paused&limit=2',
    'GET /v1/runs/a%2Fb%3F/diff',
  ]);
  expect(server.received[0]).toMatchObject({
    body: '{"source":"x"}',
    headers: { authorization: 'Bearer secret', 'idempotency-key': 'k', 'content-type': 'application/json' },
  });
});

test('an empty text is an answer', async () => {
  server.on(`GET /v1/runs/${runId}/diff`, text(''));
  expect(await setpoint.readDiff(runId)).toBe('');
});

test('a refusal is a SetpointProblem with all that the server said', async () => {
  const issues = [{ path: 'agnet', code: 'definition/unknown-key', message: 'is no key', severity: 'error' }];
  server.on('POST /v1/plans', problem(422, 'definition/invalid', 'It is wrong.', { remedy: 'Mend it.', issues }));
  const refused = setpoint.compilePlan({ body: { source: 'x' } });
  await expect(refused).rejects.toBeInstanceOf(SetpointProblem);
  await expect(refused).rejects.toMatchObject({
    code: 'definition/invalid',
    status: 422,
    detail: 'It is wrong.',
    remedy: 'Mend it.',
    issues,
    message: 'It is wrong. (definition/invalid)',
  });
});

test('an answer that is none of Setpoint is told as such, whatever its status', async () => {
  server.on(`GET /v1/runs/${runId}`, text('<html>'));
  await expect(setpoint.showRun(runId)).rejects.toMatchObject({ code: 'unexpected-answer', status: 200 });
  server.on(`GET /v1/runs/${runId}`, (_received, response) => void response.writeHead(502).end('<html>'));
  await expect(setpoint.showRun(runId)).rejects.toMatchObject({ code: 'unexpected-answer', status: 502 });
});

test('no answer is a SetpointUnreachable; an abort is the abort', async () => {
  server.on(`GET /v1/runs/${runId}`, () => undefined);
  const leave = new AbortController();
  const called = setpoint.showRun(runId, { signal: leave.signal });
  leave.abort(new RangeError('enough'));
  await expect(called).rejects.toThrow('enough');
  await server.stop();
  await expect(setpoint.showRun(runId)).rejects.toMatchObject({
    name: 'SetpointUnreachable',
    url: server.url,
    refused: true,
  });
});

test('a run is watched from a cursor on; a kind of event that is not known here is given as it is (E9)', async () => {
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => {
    sendFrames(response, twoPasses.slice(10));
    response.write('id: 19\ndata: {"seq":19,"event":{"type":"run.admired","at":1}}\n\n');
    response.end(
      'id: 20\ndata: {"seq":20,"event":{"type":"run.stopped","at":1,"stop":{"kind":"failed","reason":""}}}\n\n',
    );
  });
  const seqs: number[] = [];
  for await (const { seq } of setpoint.watchRun(runId, { after: 12 })) seqs.push(seq);
  expect(seqs).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
  expect(server.received[0]?.headers['last-event-id']).toBe('12');
});

test('a watch that the server refuses throws the problem, and one that is left just ends', async () => {
  await expect(setpoint.watchRun('run_other').next()).rejects.toMatchObject({ code: 'http/not-found', status: 404 });
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => sendFrames(response, twoPasses.slice(0, 2)));
  const leave = new AbortController();
  const seqs: number[] = [];
  for await (const { seq } of setpoint.watchRun(runId, { signal: leave.signal })) {
    seqs.push(seq);
    if (seq === 2) leave.abort();
  }
  expect(seqs).toEqual([1, 2]);
});
