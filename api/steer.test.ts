import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem, RunShown } from '#core/contract/http.ts';
import { bodyOf, withApi, type TestApi } from '../test/integration/with-api.ts';
import { withTemporal } from '../test/integration/with-temporal.ts';

const logger = new DefaultLogger('ERROR');
Runtime.install({ logger });

let api: TestApi;
let idle: TestApi;
let end: () => Promise<void>;

beforeAll(async () => {
  const { address, namespace, taskQueue } = await withTemporal();
  [api, idle] = await Promise.all([withApi({ queue: taskQueue }), withApi({ answerMs: 300 })]);
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../test/fakes/stand-in-run.ts', import.meta.url)),
    logger,
  });
  const connection = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
  const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle });
  const running = worker.run();
  end = async () => {
    worker.shutdown();
    await running;
    await connection.close();
  };
});
afterAll(async () => {
  await end();
  await Promise.all([api.close(), idle.close()]);
});

const stop = { kind: 'failed', reason: 'the work did not pass' } as const;

test('a message that is applied is answered with the state, the same one again too (D2)', async () => {
  const runId = await api.newRun();
  const cancel = () => api.call(`/v1/runs/${runId}/cancel`, { body: { messageId: `${runId}-m`, reason: 'enough' } });
  const first = await cancel();
  expect(first.status).toBe(200);
  expect((await bodyOf(first, RunShown)).runId).toBe(runId);
  expect((await cancel()).status).toBe(200);
  const other = await api.call(`/v1/runs/${runId}/cancel`, { body: { messageId: `${runId}-m`, reason: 'other' } });
  expect([other.status, (await bodyOf(other, Problem)).code]).toEqual([409, 'run/message-conflict']);
});

test('a message needs no body', async () => {
  const runId = await api.newRun();
  expect((await api.call(`/v1/runs/${runId}/cancel`, { method: 'POST' })).status).toBe(200);
});

test('a message that the run refuses is a 409 with its code', async () => {
  const runId = await api.newRun();
  const response = await api.call(`/v1/runs/${runId}/retry`, { body: {} });
  expect([response.status, (await bodyOf(response, Problem)).code]).toEqual([409, 'run/not-ended']);
});

test('a retried run is not shown as ended any more (decision 13)', async () => {
  const runId = await api.newRun();
  await api.call(`/v1/runs/${runId}/cancel`, { body: {} });
  await api.record(
    runId,
    [
      { type: 'run.started', at: 1, runId },
      { type: 'run.stopped', at: 2, stop },
    ],
    {
      status: 'ended',
      stop,
    },
  );
  const refused = await api.call(`/v1/runs/${runId}/cancel`, { body: {} });
  expect([refused.status, (await bodyOf(refused, Problem)).code]).toEqual([409, 'run/ended']);
  const response = await api.call(`/v1/runs/${runId}/retry`, { body: {} });
  expect(response.status).toBe(200);
  expect((await bodyOf(response, RunShown)).summary).toMatchObject({ status: 'queued' });
  expect(await api.parts.engine.describeSeat(runId, 2)).toBe('running');
});

test('a message that no worker answers in time is stored, and answered 202 with where to look (decision 12)', async () => {
  const runId = await idle.newRun();
  const response = await idle.call(`/v1/runs/${runId}/cancel`, { body: {} });
  expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/runs/${runId}`]);
});

test('a message to a run that is not there is a problem', async () => {
  const response = await api.call('/v1/runs/run_nowhere/cancel', { body: {} });
  expect([response.status, (await bodyOf(response, Problem)).code]).toEqual([404, 'run/not-found']);
});
