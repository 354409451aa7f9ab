import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PlanShown, Problem, RunListed } from '#core/contract/http.ts';
import { bodyOf, withApi, type TestApi } from '../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

const source = 'task: Make the tests pass.\nagent: codex\nchecks: [npm test]\n';
const start = (body: object, key?: string) =>
  api.call('/v1/runs', { body, headers: key === undefined ? {} : { 'idempotency-key': key } });

test('a run is stored, its workflow is started, and it is answered as queued (3.1 to 3.3)', async () => {
  const response = await start({
    source,
    file: 'green.loop.yaml',
    labels: ['a'],
    project: 'web',
    overrides: { repo: '/r' },
  });
  expect(response.status).toBe(201);
  const run = await bodyOf(response, RunListed);
  expect(run).toMatchObject({
    runId: expect.stringMatching(/^run_[0-9a-z]{26}$/),
    name: 'green',
    project: 'web',
    labels: ['a'],
    summary: { status: 'queued' },
  });
  expect(response.headers.get('location')).toBe(`/v1/runs/${run.runId}`);
  expect(await api.parts.engine.describeSeat(run.runId, 1)).toBe('running');
  const stored = await api.parts.runs.find(run.runId);
  expect(stored?.plan.workspace.repo).toBe('/r');
});

test('the same request under its key is the same run; five at once make one (K26, R051)', async () => {
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => start({ source }, 'k')));
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 201]);
  const ids = await Promise.all(answers.map(async (answer) => (await bodyOf(answer, RunListed)).runId));
  expect(new Set(ids).size).toBe(1);
  expect((await start({ source }, 'k')).status).toBe(200);
});

test('another request under a used key is a conflict that names the run', async () => {
  const { runId } = await bodyOf(start({ source }, 'used'), RunListed);
  const response = await start({ source, labels: ['other'] }, 'used');
  expect(response.status).toBe(409);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({
    code: 'http/key-reused',
    status: 409,
    detail: expect.stringContaining(runId),
    remedy: expect.stringContaining('`--key`'),
  });
});

test('a definition that cannot be run is refused with every issue, and nothing is created (A14)', async () => {
  const before = (await api.parts.runs.list({ filter: {}, limit: 500 })).length;
  for (const path of ['/v1/runs', '/v1/plans']) {
    const response = await api.call(path, { body: { source: 'task: x\nagnet: codex\nchekcs: []\n' } });
    expect(response.status).toBe(422);
    const { code, detail, issues = [] } = await bodyOf(response, Problem);
    expect(code).toBe('definition/invalid');
    expect(detail).toMatch(/^[^:]/);
    expect(issues.length).toBeGreaterThan(1);
    expect(issues[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
  }
  expect((await api.parts.runs.list({ filter: {}, limit: 500 })).length).toBe(before);
});

test('inputs are resolved against the definition; a missing one is an issue', async () => {
  const long = `setpoint: 1\nname: x\ninputs: { n: { type: number, required: true } }\nsteps: { a: { run: "echo {{inputs.n}}", checks: ["true"] } }\nlimits: { time: 1h }\ndeliver: none\n`;
  const missing = await start({ source: long });
  expect(missing.status).toBe(422);
  expect((await bodyOf(missing, Problem)).issues).toMatchObject([{ path: 'inputs.n', code: 'input/missing' }]);
  const { runId } = await bodyOf(start({ source: long, inputs: { n: 7 } }), RunListed);
  expect((await api.parts.runs.find(runId))?.inputs).toEqual({ n: '7' });
});

test('D2: an id of the server cannot be taken: the word of a child run would be lost under it', async () => {
  const { runId } = await bodyOf(start({ source }), RunListed);
  for (const id of [`child:${runId}:57`, 'source:x:y', `engine:${runId}`, `parent-cancel:${runId}`, 'fork:x']) {
    const answers = [
      start({ source }, id),
      api.call(`/v1/runs/${runId}/pause`, { body: { messageId: id } }),
      api.call('/v1/tasks/task_x/decisions', { body: { decision: 'approve', decisionId: id } }),
    ];
    for (const answer of answers) expect((await bodyOf(answer, Problem)).code).toBe('http/bad-request');
  }
});

const longTask = (kibibytes: number): string =>
  `task: ${randomBytes(kibibytes * 768).toString('base64')}\nagent: codex\nchecks: [npm test]\n`;

test('a plan that the engine could not carry is refused when it is started, edited or stored', async () => {
  const large = { source: longTask(560) };
  const { runId } = await bodyOf(start({ source }), RunListed);
  const before = (await api.parts.runs.list({ filter: {}, limit: 500 })).length;
  const answers = [
    start(large),
    start({
      source,
      labels: Array.from({ length: 100 }, (_, index) => `${index}${randomBytes(4_500).toString('base64')}`),
    }),
    api.call('/v1/plans', { body: large }),
    api.call(`/v1/runs/${runId}/edit`, { body: large }),
    api.call('/v1/definitions/large', { method: 'PUT', body: large }),
  ];
  for (const answer of answers) {
    const { status, code, issues } = await bodyOf(answer, Problem);
    expect([status, code, issues?.map((issue) => issue.code)]).toEqual([
      422,
      'definition/invalid',
      ['definition/too-large'],
    ]);
  }
  expect((await api.call('/v1/definitions/large')).status).toBe(404);
  expect((await api.parts.runs.list({ filter: {}, limit: 500 })).length).toBe(before);
  const { rows } = await api.database.query({ text: 'select id from messages where run_id = $1', values: [runId] });
  expect(rows).toEqual([]);
});

test('the engine takes a run with the largest plan and the largest inputs; larger inputs are refused', async () => {
  const withInput = `${longTask(450)}inputs: { text: { type: string } }\n`;
  const fitting = await start({ source: withInput, inputs: { text: 'x'.repeat(256 * 1024 - 2) } });
  expect(fitting.status).toBe(201);
  const { runId } = await bodyOf(fitting, RunListed);
  expect(await api.parts.engine.describeSeat(runId, 1)).toBe('running');
  const larger = await bodyOf(start({ source: withInput, inputs: { text: 'x'.repeat(256 * 1024) } }), Problem);
  expect([larger.status, larger.issues?.map(({ code }) => code)]).toEqual([422, ['input/too-large']]);
});

test('a plan is compiled from text and from an object, and creates nothing', async () => {
  const definition = { task: 'Make the tests pass.', agent: 'codex', checks: ['npm test'] };
  for (const body of [{ source }, { definition }]) {
    const response = await api.call('/v1/plans', { body });
    expect(response.status).toBe(200);
    expect((await bodyOf(response, PlanShown)).plan.steps).toMatchObject([
      { id: 'work', checks: [{ command: 'npm test' }] },
    ]);
  }
});

test('E-20: a plan comes with what the doctor says of its loops, placed in the text; a run is started all the same', async () => {
  const leaky = 'task: Make the tests pass.\nagent: codex\nchecks:\n  - make test | tee test.log\n';
  const { findings, loops } = await bodyOf(api.call('/v1/plans', { body: { source: leaky } }), PlanShown);
  expect(findings).toMatchObject([
    { rule: 'check/pipe-hides-exit', missing: 'signal', loop: 'work', path: 'checks.0', line: 4, column: 5 },
    { rule: 'check/agent-can-edit', severity: 'note' },
  ]);
  expect(loops).toMatchObject([{ loop: 'work', closed: false, signal: { good: false }, limit: { good: true } }]);
  expect((await start({ source: leaky })).status).toBe(201);
});

test('a body that no call takes is a problem that says where', async () => {
  const wrong = await start({ sauce: 'x' });
  expect([wrong.status, (await bodyOf(wrong, Problem)).code]).toEqual([400, 'http/bad-request']);
  const none = await start({});
  expect([none.status, (await bodyOf(none, Problem)).code]).toEqual([400, 'http/bad-request']);
  const request = { method: 'POST', headers: { authorization: 'Bearer a-token', 'content-type': 'application/json' } };
  const broken = await api.app.request('/v1/runs', { ...request, body: '{' });
  expect([broken.status, (await bodyOf(broken, Problem)).code]).toEqual([400, 'http/bad-request']);
});

test('a callback is kept with the run; one that tells its secret, or is no web address, is refused', async () => {
  const callback = { url: 'https://ci.example/hook', secret: 'env:HOOK' };
  const { runId } = await bodyOf(start({ source, callback }), RunListed);
  const kept = await api.database.query({ text: 'select callback from runs where run_id = $1', values: [runId] });
  expect(kept.rows).toEqual([{ callback }]);
  for (const wrong of [{ ...callback, secret: 'hunter2hunter2' }, { url: 'file:///etc/passwd' }]) {
    const refused = await start({ source, callback: wrong });
    expect([refused.status, (await bodyOf(refused, Problem)).code]).toEqual([400, 'http/bad-request']);
  }
});

test('a body over 1 MiB is refused', async () => {
  const response = await start({ source: 'x'.repeat(1024 * 1024) });
  expect(response.status).toBe(413);
  expect((await bodyOf(response, Problem)).code).toBe('http/body-too-large');
});

test('a run is started while the engine is away: it is queued until a sweeper starts it', async () => {
  const lonely = await withApi({ address: '127.0.0.1:1' });
  const response = await lonely.call('/v1/runs', { body: { source } });
  expect(response.status).toBe(201);
  expect((await bodyOf(response, RunListed)).summary).toMatchObject({ status: 'queued', why: expect.any(String) });
  expect((await lonely.call('/readyz')).status).toBe(503);
  await lonely.close();
});
