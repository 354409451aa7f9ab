import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem, RunList, RunShown } from '#core/contract/http.ts';
import type { RunEvent } from '#core/run/event.ts';
import { bodyOf, withApi, type TestApi } from '../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

const started = (runId: string): RunEvent => ({ type: 'run.started', at: 1_000, runId });
const stop = { kind: 'failed', reason: 'the work did not pass' } as const;
const stopped: RunEvent = { type: 'run.stopped', at: 2_000, stop };

test('a run is shown as the fold of its record, with the cursor to stream from (E9)', async () => {
  const runId = await api.newRun();
  await api.record(runId, [started(runId), stopped], { status: 'ended', stop });
  const run = await bodyOf(api.call(`/v1/runs/${runId}`), RunShown);
  expect(run).toMatchObject({
    runId,
    cursor: 2,
    summary: { status: 'ended', stop },
    state: { runId, startedAt: 1_000, stop },
    plan: { semantics: 1 },
  });
});

test('a run that is not there is a problem', async () => {
  for (const path of ['', '/events', '/output', '/diff']) {
    const response = await api.call(`/v1/runs/run_nowhere${path}`);
    expect([path, response.status, (await bodyOf(response, Problem)).code]).toEqual([path, 404, 'run/not-found']);
  }
});

test('a call that waits returns when the run ends', async () => {
  const runId = await api.newRun();
  await api.record(runId, [started(runId)]);
  const waiting = api.call(`/v1/runs/${runId}?wait=10m`);
  await api.record(runId, [stopped], { status: 'ended', stop });
  expect((await bodyOf(waiting, RunShown)).summary.status).toBe('ended');
});

test('a call that waits returns the run as it is when the time is over', async () => {
  const runId = await api.newRun();
  const response = await api.call(`/v1/runs/${runId}?wait=20ms`);
  expect((await bodyOf(response, RunShown)).summary.status).toBe('queued');
  expect((await api.call(`/v1/runs/${runId}?wait=soon`)).status).toBe(400);
});

test('T-27: a run whose host is away says so, and what brings it back; it is no status (E2, decision 15)', async () => {
  const runId = await api.newRun();
  await api.parts.hosts.register({ hostId: 'h1', slots: 1, info: {} });
  await api.record(runId, [started(runId)], { hostId: 'h1' });
  const shown = async () => (await bodyOf(api.call(`/v1/runs/${runId}`), RunShown)).summary;
  expect((await shown()).why).toBeUndefined();
  await api.database.query({ text: `update hosts set lease_until = now() - interval '5 m'`, values: [] });
  expect(await shown()).toMatchObject({ status: 'running', why: expect.stringContaining('h1 was last seen at') });
});

test('T-27: a host that was not heard of for 15 s is told as an observation; one that renews is not, however long a check takes', async () => {
  const runId = await api.newRun();
  const token = await api.parts.hosts.register({ hostId: 'h2', slots: 1, info: {} });
  await api.record(runId, [started(runId)], { hostId: 'h2' });
  const shown = async () => (await bodyOf(api.call(`/v1/runs/${runId}`), RunShown)).summary;
  await api.database.query({ text: `update hosts set lease_until = lease_until - interval '20 s'`, values: [] });
  expect(await shown()).toMatchObject({
    status: 'running',
    why: expect.stringMatching(/Host h2 has not been heard of for 2\d s, so the run seems stalled/),
    remedy: 'setpoint status (on h2)',
  });
  expect(await api.parts.hosts.renew('h2', token)).toBe(true);
  expect((await shown()).why).toBeUndefined();
});

test('V-15, V-29, V-32: a run tells the loops that each step has fired, its pass, and where its loops go', async () => {
  const runId = await api.newRun();
  const step = (await bodyOf(api.call(`/v1/runs/${runId}`), RunShown)).plan.steps[0]?.id ?? '';
  const message = `↺ ${step} requested another pass: looping back to "${step}" (1/2)`;
  const counted = { count: 1, limit: 2, fingerprint: 'a', repeats: 0, message };
  const fired: RunEvent = { type: 'loop.fired', at: 1_500, step, pass: 1, to: step, reset: [step], ...counted };
  await api.record(runId, [started(runId), fired]);
  const { plan, state } = await bodyOf(api.call(`/v1/runs/${runId}`), RunShown);
  expect(plan.steps[0]?.loop).toMatchObject({ to: step });
  expect(state).toMatchObject({ steps: { [step]: { loops: 1, pass: 2 } } });
});

test('lists go by cursor, newest first, with filters', async () => {
  const ids: string[] = [];
  for (const label of ['a', 'b', 'a']) ids.unshift(await api.newRun({ project: 'p', labels: [label] }));
  ids.sort().reverse();
  const get = (query: string) => bodyOf(api.call(`/v1/runs?project=p&${query}`), RunList);
  const first = await get('limit=2');
  const rest = await get(`limit=2&cursor=${first.cursor}`);
  expect([...first.runs, ...rest.runs].map(({ runId }) => runId)).toEqual(ids);
  expect(rest.cursor).toBeUndefined();
  expect((await get('label=a')).runs).toHaveLength(2);
  expect((await get('status=ended')).runs).toEqual([]);
  expect((await get('status=exhausted')).runs).toEqual([]);
  expect((await get(`q=${ids[0]}`)).runs).toHaveLength(1);
  expect((await api.call('/v1/runs?limit=0')).status).toBe(400);
});

test('a list by a status that there is not is refused with those that there are', async () => {
  const response = await api.call('/v1/runs?status=bogus');
  expect(response.status).toBe(400);
  const { detail } = await bodyOf(response, Problem);
  for (const name of ['status', '"paused"', '"ended"', '"over_budget"']) expect(detail).toContain(name);
});
