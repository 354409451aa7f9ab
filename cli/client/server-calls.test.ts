import { afterEach, beforeEach, expect, test } from 'vitest';

import { createApiClient, type ApiClient } from '#cli/client/api-client.ts';
import { json, problem, type ScriptedServer, startScriptedServer, text } from '#cli/testing/scripted-server.ts';
import { runId, succeeded, shown } from '#cli/testing/sample-run.ts';

let server: ScriptedServer;
let client: ApiClient;

beforeEach(async () => {
  server = await startScriptedServer();
  client = createApiClient({ url: server.url, remedy: 'start it' });
});

afterEach(() => server.stop());

const route = `GET /v1/runs/${runId}`;

test('an answer that is no JSON, or of another shape, is told as another version of the server (exit 5)', async () => {
  const expected = { exitCode: 5, remedy: 'use the same version of setpoint on both sides' };
  server.on(route, text('<html>'));
  const message = "the server's answer is not what this version expects";
  await expect(client.run(runId)).rejects.toMatchObject({ ...expected, message });
  const { name: _name, ...nameless } = shown(succeeded);
  server.on(route, json(nameless));
  await expect(client.run(runId)).rejects.toMatchObject({ ...expected, message: `${message} (at name)` });
});

test('a page of a proxy in place of a problem says what answered (exit 5)', async () => {
  server.on(route, (_received, response) => void response.writeHead(502).end('<html>'));
  await expect(client.run(runId)).rejects.toMatchObject({
    exitCode: 5,
    message: `${server.url}/v1/runs/${runId} answered 502 and no problem document: it may be no Setpoint server (unexpected-answer)`,
  });
});

test('a request that cannot be read names what is wrong in it and no part of HTTP (exit 2)', async () => {
  const issues = [{ path: 'spend', code: 'http/bad-request', message: 'must be an amount', severity: 'error' }];
  server.on(route, problem(400, 'http/bad-request', "In the request's json: spend: must be an amount", { issues }));
  await expect(client.run(runId)).rejects.toMatchObject({
    exitCode: 2,
    message: 'spend: must be an amount (http/bad-request)',
    remedy: expect.stringContaining('setpoint COMMAND --help'),
  });
});

test('D2: a person who may not decide is refused like anybody else (exit 2); who may not manage people is not (exit 5)', async () => {
  server.on(route, problem(403, 'task/author', 'You started it.'));
  await expect(client.run(runId)).rejects.toMatchObject({ exitCode: 2 });
  server.on(route, problem(403, 'http/forbidden', 'Not you.'));
  await expect(client.run(runId)).rejects.toMatchObject({ exitCode: 5 });
});

test('a server that is not there is told with what a person does about it (exit 5)', async () => {
  await server.stop();
  await expect(client.run(runId)).rejects.toMatchObject({
    exitCode: 5,
    refused: true,
    message: expect.stringMatching(/^no server answers at http:\S+ \(fetch failed: connect ECONNREFUSED/),
    remedy: 'start it',
  });
});

test('a range that begins at the end of an output is nothing more yet; one that is ignored is cut here', async () => {
  const part = { step: 'work', pass: 1, attempt: 1 };
  const output = `${route}/output`;
  server.on(output, (_received, response) => void response.writeHead(416).end('{}'));
  expect((await client.output(runId, part, 3)).length).toBe(0);
  server.on(output, text('abcdef'));
  expect(Buffer.from(await client.output(runId, part, 3)).toString()).toBe('def');
  expect(server.received.map(({ path, headers }) => [path, headers['range']])).toEqual([
    [`/v1/runs/${runId}/output?step=work&pass=1&attempt=1`, 'bytes=3-'],
    [`/v1/runs/${runId}/output?step=work&pass=1&attempt=1`, 'bytes=3-'],
  ]);
});
