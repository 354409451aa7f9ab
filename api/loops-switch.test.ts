import type { OpenAPIHono } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '#api/app.ts';
import { listen } from '#api/server.ts';
import { Problem, RunShown } from '#core/contract/http.ts';
import { ServerShown } from '#core/contract/server.ts';
import { connectMcpHttp } from '../test/integration/mcp-client.ts';
import { bodyOf, type TestApi, withApi } from '../test/integration/with-api.ts';

let api: TestApi;
let off: OpenAPIHono;
let runId = '';

beforeAll(async () => {
  api = await withApi({ answerMs: 300 });
  runId = await api.newRun();
  off = createApp({ ...api.parts, loops: 'off' });
});
afterAll(() => api.close());

const headers = { authorization: 'Bearer a-token', 'content-type': 'application/json' };
const call = async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST') =>
  off.request(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
const source = 'task: x\nagent: codex\nchecks: [npm test]\n';

test('E-27: with loops switched off, nothing is started, compiled or let go on, and it is said why', async () => {
  const before = (await api.parts.runs.list({ filter: {}, limit: 10 })).length;
  const actions = { resume: {}, retry: {}, raise: { passes: 9 }, edit: { source }, fork: { step: 'work', pass: 1 } };
  const steering = Object.entries(actions).map(([action, body]) => [`/v1/runs/${runId}/${action}`, body] as const);
  const pushBack = [`/v1/runs/${runId}/push-back`, { step: 'work', message: 'again' }] as const;
  for (const [path, body] of [
    ['/v1/runs', { source }] as const,
    ['/v1/plans', { source }] as const,
    pushBack,
    ...steering,
  ]) {
    const problem = await bodyOf(call(path, body), Problem);
    expect([path, problem]).toMatchObject([path, { status: 403, code: 'server/loops-off' }]);
    expect(problem.detail).toContain('SETPOINT_LOOPS=off');
    expect(problem.remedy).toContain('Ask whoever runs the server');
  }
  expect((await api.parts.runs.list({ filter: {}, limit: 10 })).length).toBe(before);
});

test('E-27: a label is switched off, and not on: what it holds would spend', async () => {
  expect((await call('/v1/sources/nightly', { on: false }, 'PUT')).status).toBe(200);
  const problem = await bodyOf(call('/v1/sources/nightly', { on: true }, 'PUT'), Problem);
  expect(problem).toMatchObject({ status: 403, code: 'server/loops-off' });
});

test('E-27: open runs stay readable, and can be paused and cancelled; tasks are read', async () => {
  expect(await bodyOf(call('/v1/server'), ServerShown)).toEqual({ loops: 'off' });
  expect(await bodyOf(api.call('/v1/server'), ServerShown)).toEqual({ loops: 'on' });
  expect((await bodyOf(call(`/v1/runs/${runId}`), RunShown)).runId).toBe(runId);
  for (const path of ['/v1/runs', `/v1/runs/${runId}/events`, '/v1/tasks', '/v1/definitions']) {
    expect([path, (await call(path)).status]).toEqual([path, 200]);
  }
  // Nobody works on the queue here: a message is taken, and waits for a worker.
  for (const action of ['pause', 'cancel']) expect((await call(`/v1/runs/${runId}/${action}`, {})).status).toBe(202);
});

test('E-27: tools that start or spend are not listed to agents, and a call of one is none', async () => {
  const server = await listen(off, { port: 0 });
  const mcp = await connectMcpHttp(server.url, 'a-token');
  const names = (await mcp.client.listTools()).tools.map(({ name }) => name);
  for (const gone of [
    'start_run',
    'validate_definition',
    'resume_run',
    'retry_run',
    'raise_run',
    'fork_run',
    'edit_run',
  ]) {
    expect(names).not.toContain(gone);
  }
  expect(names).toEqual(expect.arrayContaining(['list_runs', 'read_run', 'pause_run', 'cancel_run', 'list_tasks']));
  await expect(mcp.call('start_run', { source })).rejects.toThrow(/start_run/);
  expect((await mcp.call('read_run', { runId })).json).toMatchObject({ runId });
  await mcp.close();
  await server.close(0);
});
