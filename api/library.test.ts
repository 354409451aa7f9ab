import { afterAll, beforeAll, expect, test } from 'vitest';
import { PlanShown, Problem, RunList, RunListed } from '#core/contract/http.ts';
import {
  DefinitionList,
  DefinitionShown,
  DefinitionVersions,
  SecretList,
  SecretListed,
  SourceList,
} from '#core/contract/library.ts';
import { bodyOf, withApi, type TestApi } from '../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

const source = 'task: Make the tests pass.\nagent: codex\nchecks: [npm test]\n';
const put = (path: string, body: object) => api.call(path, { method: 'PUT', body });
const problemOf = async (response: Response | Promise<Response>) => {
  const { status, code, remedy } = await bodyOf(response, Problem);
  return [status, code, remedy !== undefined];
};

test('a definition is stored in versions; the same text is the same version', async () => {
  const first = await put('/v1/definitions/green', { source });
  expect(first.status).toBe(201);
  expect(await bodyOf(first, DefinitionShown)).toEqual({
    project: 'default',
    name: 'green',
    version: 1,
    dialect: 'native',
    source,
    createdBy: 'owner',
    createdAt: expect.any(String),
  });
  expect((await put('/v1/definitions/green', { source })).status).toBe(200);
  const changed = source.replace('npm test', 'npm run all');
  expect((await put('/v1/definitions/green', { source: changed })).status).toBe(201);
  const shown = (query: string) => bodyOf(api.call(`/v1/definitions/green${query}`), DefinitionShown);
  expect(await shown('')).toMatchObject({ version: 2, source: changed });
  expect(await shown('?version=1')).toMatchObject({ version: 1, source });
  const versions = (query: string) => bodyOf(api.call(`/v1/definitions/green/versions${query}`), DefinitionVersions);
  expect((await versions('')).versions.map(({ version }) => version)).toEqual([2, 1]);
  const page = await versions('?limit=1');
  expect((await versions(`?cursor=${page.cursor}`)).versions.map(({ version }) => version)).toEqual([1]);
});

test('an object is stored as its JSON and reads as it did', async () => {
  const definition = { task: 'Do it.', agent: 'codex', checks: ['npm test'], env: { FLAG: 'no' } };
  const stored = await bodyOf(put('/v1/definitions/object', { definition }), DefinitionShown);
  expect(JSON.parse(stored.source)).toEqual(definition);
  const { plan } = await bodyOf(api.call('/v1/plans', { body: { name: 'object' } }), PlanShown);
  expect(plan).toMatchObject({ name: 'object', steps: [{ env: { FLAG: 'no' } }] });
});

test('a definition that cannot be run is not stored, and every issue is told (A14)', async () => {
  for (const body of [{ source: 'task: x\nagnet: codex\nchekcs: []\n' }, { definition: { tsak: 'x', agnet: 'y' } }]) {
    const response = await put('/v1/definitions/broken', body);
    expect(response.status).toBe(422);
    expect((await bodyOf(response, Problem)).issues?.length).toBeGreaterThan(1);
  }
  expect(await problemOf(api.call('/v1/definitions/broken'))).toEqual([404, 'definition/not-found', true]);
  expect((await api.call('/v1/definitions/broken/versions')).status).toBe(404);
});

test('what no stored definition can be called or hold is refused', async () => {
  for (const name of ['Green', '-x', 'a%2Fb', 'x'.repeat(65)]) {
    expect(await problemOf(put(`/v1/definitions/${name}`, { source }))).toEqual([400, 'http/bad-request', true]);
  }
  for (const body of [{}, { source, definition: {} }, { source, extra: 1 }]) {
    expect(await problemOf(put('/v1/definitions/x', body))).toEqual([400, 'http/bad-request', true]);
  }
  expect((await put('/v1/definitions/x', { source, dialect: 'nothing' })).status).toBe(422);
});

test('a run is started by the name of a definition, in its newest version or the one that is named', async () => {
  await put('/v1/definitions/nightly', { source, project: 'web' });
  await put('/v1/definitions/nightly', { source: source.replace('npm test', 'make test'), project: 'web' });
  const commandOf = async (more: object) => {
    const body = { name: 'nightly', project: 'web', overrides: { repo: '/r' }, ...more };
    const run = await bodyOf(api.call('/v1/runs', { body }), RunListed);
    expect(run).toMatchObject({ name: 'nightly', project: 'web', createdBy: 'owner' });
    return (await api.parts.runs.find(run.runId))?.plan.steps[0]?.checks[0];
  };
  expect(await commandOf({})).toMatchObject({ command: 'make test' });
  expect(await commandOf({ version: 1 })).toMatchObject({ command: 'npm test' });
  const { plan } = await bodyOf(api.call('/v1/plans', { body: { name: 'nightly', project: 'web' } }), PlanShown);
  expect(plan.steps[0]?.checks[0]).toMatchObject({ command: 'make test' });
});

test('the same request by name under its key is the same run, also after a new version', async () => {
  await put('/v1/definitions/keyed', { source });
  const start = () => api.call('/v1/runs', { body: { name: 'keyed' }, headers: { 'idempotency-key': 'by-name' } });
  expect((await start()).status).toBe(201);
  await put('/v1/definitions/keyed', { source: `${source}name: other\n` });
  expect((await start()).status).toBe(200);
});

test('a name that is not stored, and a name beside a text, start nothing', async () => {
  const start = (body: object) => problemOf(api.call('/v1/runs', { body }));
  expect(await start({ name: 'nowhere' })).toEqual([404, 'definition/not-found', true]);
  expect(await start({ name: 'green', version: 99 })).toEqual([404, 'definition/not-found', true]);
  expect(await start({ name: 'green', project: 'other' })).toEqual([404, 'definition/not-found', true]);
  for (const body of [
    { name: 'green', source },
    { name: 'green', dialect: 'native' },
    { version: 1 },
    { name: 'Not a name' },
  ]) {
    expect(await start(body)).toEqual([400, 'http/bad-request', true]);
  }
});

test('definitions are listed by cursor', async () => {
  const names: string[] = [];
  let cursor = '';
  do {
    const page = await bodyOf(api.call(`/v1/definitions?project=default&limit=1&cursor=${cursor}`), DefinitionList);
    names.push(...page.definitions.map(({ name, version }) => `${name}@${version}`));
    cursor = page.cursor ?? '';
  } while (cursor !== '');
  expect(names).toEqual(['green@2', 'keyed@2', 'object@1']);
});

test('H4: a secret goes in and never comes out', async () => {
  const value = 'npm_a-very-secret-value';
  const first = await put('/v1/secrets/NPM_TOKEN', { value });
  expect(first.status).toBe(201);
  const listed = { project: 'default', name: 'NPM_TOKEN', updatedAt: expect.any(String) };
  expect(await bodyOf(first, SecretListed.strict())).toEqual(listed);
  expect((await put('/v1/secrets/NPM_TOKEN', { value: `${value}2` })).status).toBe(200);
  await put('/v1/secrets/NPM_TOKEN', { value, project: 'web' });
  const list = await (await api.call('/v1/secrets')).text();
  expect(list).not.toContain('very-secret');
  expect(SecretList.parse(JSON.parse(list)).secrets.map(({ project }) => project)).toEqual(['default', 'web']);
  expect((await api.call('/v1/secrets/NPM_TOKEN')).status).toBe(404);
  const page = await bodyOf(api.call('/v1/secrets?limit=1'), SecretList);
  const next = await bodyOf(api.call(`/v1/secrets?cursor=${page.cursor}`), SecretList);
  expect(next.secrets.map(({ project }) => project)).toEqual(['web']);
  const remove = () => api.call('/v1/secrets/NPM_TOKEN?project=web', { method: 'DELETE' });
  expect((await remove()).status).toBe(204);
  expect(await problemOf(remove())).toEqual([404, 'secret/not-found', true]);
});

test('H4: a value that could not be hidden is refused, and so is a name that no step can ask for', async () => {
  expect(await problemOf(put('/v1/secrets/SHORT', { value: 'abc' }))).toEqual([422, 'secret/too-short', true]);
  expect(await problemOf(put('/v1/secrets/SHORT', { value: '     abc     ' }))).toEqual([
    422,
    'secret/too-short',
    true,
  ]);
  for (const name of ['1A', 'a-b', 'SETPOINT_TOKEN']) {
    expect(await problemOf(put(`/v1/secrets/${name}`, { value: 'long enough' }))).toEqual([
      400,
      'http/bad-request',
      true,
    ]);
  }
});

test('a source is switched off and on', async () => {
  expect((await put('/v1/sources/from%20issues', { on: false })).status).toBe(200);
  const { sources } = await bodyOf(api.call('/v1/sources'), SourceList);
  expect(sources).toMatchObject([{ label: 'from issues', on: false, changedBy: 'owner' }]);
  await put('/v1/sources/from%20issues', { on: true });
  expect((await bodyOf(api.call('/v1/sources'), SourceList)).sources).toMatchObject([{ on: true }]);
  expect((await put('/v1/sources/x', { on: 'yes' })).status).toBe(400);
});

test('a run from before people had names is listed without one', async () => {
  const runId = await api.newRun();
  await api.database.query({ text: 'update runs set created_by = null where run_id = $1', values: [runId] });
  const { runs } = await bodyOf(api.call(`/v1/runs?q=${runId}`), RunList);
  expect(runs).toHaveLength(1);
  expect(runs[0]).not.toHaveProperty('createdBy');
});

test('a NUL is refused wherever it comes in, and is no failure of the server', async () => {
  const nul = '\u0000';
  const answers = await Promise.all([
    put('/v1/secrets/NUL', { value: `long enough${nul}` }),
    put('/v1/secrets/NUL', { value: 'long enough', project: nul }),
    put('/v1/definitions/nul', { source: `${source}# ${nul}` }),
    put('/v1/sources/%00', { on: true }),
    api.call('/v1/people?cursor=%00'),
    ...['q', 'label', 'project', 'cursor'].map((filter) => api.call(`/v1/runs?${filter}=%00`)),
    api.call('/v1/definitions?cursor=a%00:b&project=%00'),
    api.call('/v1/runs', { body: { name: 'green', project: nul } }),
  ]);
  expect(answers.map(({ status }) => status).filter((status) => status !== 400 && status !== 422)).toEqual([]);
});

test('a definition calls stored ones of its project by name; one that is not stored is an issue', async () => {
  const caller = 'setpoint: 1\nname: Outer\nsteps: { inner: { call: inner } }\nlimits: { time: 1h }\ndeliver: none\n';
  const asked = { source: caller, project: 'calls' };
  expect((await put('/v1/definitions/outer', asked)).status).toBe(422);
  expect((await api.call('/v1/runs', { body: asked })).status).toBe(422);
  await put('/v1/definitions/innermost', { source, project: 'calls' });
  const inner = caller.replace('call: inner', 'call: innermost').replace('Outer', 'Inner');
  expect((await put('/v1/definitions/inner', { source: inner, project: 'calls' })).status).toBe(201);
  expect((await put('/v1/definitions/outer', asked)).status).toBe(201);
  for (const body of [asked, { name: 'outer', project: 'calls' }]) {
    expect((await api.call('/v1/plans', { body })).status).toBe(200);
    expect((await api.call('/v1/runs', { body })).status).toBe(201);
  }
  const circle = { source: inner.replace('call: innermost', 'call: outer'), project: 'calls' };
  expect((await put('/v1/definitions/inner', circle)).status).toBe(422);
  const elsewhere = { source: caller, project: 'elsewhere' };
  expect((await api.call('/v1/plans', { body: elsewhere })).status).toBe(422);
});
