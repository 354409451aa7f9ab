import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem, RunList, RunShown } from '#core/contract/http.ts';
import { samplePlan } from '../test/fakes/sample-plan.ts';
import { bodyOf, type TestApi, withApi } from '../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

const place = (runId: string, index: number) => ({ runId, step: 'all', pass: 1, index });

async function child(runId: string, parent: ReturnType<typeof place>): Promise<void> {
  await api.parts.runs.start({ runId, bodySha256: runId, plan: samplePlan({ name: 'one' }), inputs: {}, parent });
}

test('a run shows its child runs in the order in which they were started, and each names its parent', async () => {
  const runId = await api.newRun();
  await child('run_child_b', place(runId, 1));
  await child('run_child_a', place(runId, 0));
  const shown = await bodyOf(api.call(`/v1/runs/${runId}`), RunShown);
  expect(shown.parent).toBeUndefined();
  expect(shown.children?.map(({ runId: id, parent }) => [id, parent])).toEqual([
    ['run_child_a', place(runId, 0)],
    ['run_child_b', place(runId, 1)],
  ]);
  const one = await bodyOf(api.call('/v1/runs/run_child_a'), RunShown);
  expect([one.parent, one.children]).toEqual([place(runId, 0), []]);
});

test('lists show children with their parent, and the children of one run alone', async () => {
  const runId = await api.newRun();
  await child('run_child_c', place(runId, 0));
  const all = await bodyOf(api.call('/v1/runs'), RunList);
  expect(all.runs.find((run) => run.runId === 'run_child_c')?.parent).toEqual(place(runId, 0));
  const ours = await bodyOf(api.call(`/v1/runs?parent=${runId}`), RunList);
  expect(ours.runs.map((run) => run.runId)).toEqual(['run_child_c']);
  expect((await bodyOf(api.call('/v1/runs?parent=run_nowhere'), RunList)).runs).toEqual([]);
});

const calling = (name: string) => `setpoint: 1\nsteps: { a: { call: ${name} } }\nlimits: { time: 10m }\n`;
const saying = (text: string) => `setpoint: 1\nsteps: { say: { run: echo ${text} } }\nlimits: { time: 10m }\n`;

const put = (name: string, source: string) => api.call(`/v1/definitions/${name}`, { method: 'PUT', body: { source } });

test('a stored definition that changes later changes no run that calls it and has begun', async () => {
  await put('audit', saying('before'));
  const runId = await api.newRun({ source: calling('audit') });
  await put('audit', saying('after'));
  const { plan } = await bodyOf(api.call(`/v1/runs/${runId}`), RunShown);
  expect(plan.children?.['audit']?.steps[0]?.work).toEqual({ kind: 'run', command: 'echo before' });
});

test('what is called and not there is an issue with the nearest name, and calls in a circle are one: nothing starts', async () => {
  await put('review-all', saying('x'));
  const unknown = await api.call('/v1/runs', { body: { source: calling('review-al') } });
  expect(unknown.status).toBe(422);
  const problem = await bodyOf(unknown, Problem);
  expect(problem.issues).toMatchObject([{ code: 'call/unknown-definition', path: 'steps.a.call', line: 2 }]);
  expect(problem.issues?.[0]?.message).toContain('review-all');
  const circle = await put('circle', calling('circle'));
  expect(circle.status).toBe(422);
  expect((await bodyOf(circle, Problem)).issues?.map(({ code }) => code)).toEqual(['call/loop']);
});
