import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { createDefinitionStore } from '#infra/postgres/definition-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createPersonStore } from '#infra/postgres/person-store.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createSecretStore } from '#infra/postgres/secret-store.ts';
import { createSourceStore, heldSources } from '#infra/postgres/source-store.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
});
afterAll(async () => {
  await database.close();
  await server.close();
});

const green = { project: 'web', name: 'green', dialect: 'native', source: 'one', createdBy: 'ada' };

test('the same text again is the same version, an older one again a new version', async () => {
  const definitions = createDefinitionStore(database);
  const put = async (source: string, more: object = {}) => {
    const { created, definition } = await definitions.put({ ...green, source, ...more });
    return [created, definition.version];
  };
  expect(await definitions.find(green)).toBeUndefined();
  expect(await put('one')).toEqual([true, 1]);
  expect(await put('one', { createdBy: 'bob' })).toEqual([false, 1]);
  expect(await put('two')).toEqual([true, 2]);
  expect(await put('one')).toEqual([true, 3]);
  expect(await put('one', { dialect: 'other' })).toEqual([true, 4]);
  expect(await definitions.find({ ...green, version: 2 })).toMatchObject({ source: 'two', createdBy: 'ada' });
  expect(await definitions.find(green)).toMatchObject({ version: 4, dialect: 'other' });
  expect(await definitions.find({ ...green, project: 'elsewhere' })).toBeUndefined();
  const page = await definitions.versions({ ...green, before: 4, limit: 2 });
  expect(page.map(({ version }) => version)).toEqual([3, 2]);
});

test('versions that are stored at once each have a number of their own, and one text has one', async () => {
  const definitions = createDefinitionStore(database);
  const put = (source: string) => definitions.put({ ...green, name: 'crowd', source });
  const different = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(put));
  expect(different.map(({ definition }) => definition.version).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
  const same = await Promise.all(['z', 'z', 'z', 'z', 'z', 'z'].map(put));
  expect(same.map(({ created }) => created).filter(Boolean)).toHaveLength(1);
  expect(new Set(same.map(({ definition }) => definition.version))).toEqual(new Set([7]));
});

test('definitions are listed by name in their newest version', async () => {
  const definitions = createDefinitionStore(database);
  for (const [project, name] of [
    ['p', 'b'],
    ['p', 'a'],
    ['q', 'a'],
  ] as const) {
    await definitions.put({ ...green, project, name, source: '1' });
    await definitions.put({ ...green, project, name, source: '2' });
  }
  const named = (found: { project: string; name: string; version: number }[]) =>
    found
      .filter(({ project }) => project !== 'web')
      .map(({ project, name, version }) => `${project}/${name}@${version}`);
  const first = await definitions.list({ limit: 2 });
  expect(named(first)).toEqual(['p/a@2', 'q/a@2']);
  const rest = await definitions.list({ limit: 10, after: { name: 'a', project: 'q' } });
  expect(named(rest)).toEqual(['p/b@2']);
  expect(named(await definitions.list({ project: 'q', limit: 10 }))).toEqual(['q/a@2']);
  expect(named(await definitions.newest('p', ['b', 'a', 'nothing']))).toEqual(['p/a@2', 'p/b@2']);
});

const key = Buffer.alloc(32, 1);

test('H4: a secret is sealed at rest, opened for the runs of its project alone, and by its own key alone', async () => {
  const secrets = createSecretStore(database, () => key);
  const value = 'line one of it\nline two';
  const secret = { project: 'web', name: 'NPM_TOKEN', updatedBy: 'ada' };
  expect((await secrets.put({ ...secret, value: 'another value' })).created).toBe(true);
  expect((await secrets.put({ ...secret, value })).created).toBe(false);
  const { rows } = await database.query({ text: 'select * from secrets', values: [] });
  expect(JSON.stringify(rows)).not.toContain(Buffer.from('line').toString('base64').slice(0, 5));
  expect(JSON.stringify(rows.map((row) => String(row['sealed'])))).not.toContain('line');
  const runs = createRunStore(database);
  await runs.start({ runId: 'run_w', bodySha256: 'x', plan: samplePlan({ project: 'web' }), inputs: {} });
  await runs.start({ runId: 'run_o', bodySha256: 'x', plan: samplePlan({ project: 'other' }), inputs: {} });
  expect(await secrets.ofRun('run_w', ['NPM_TOKEN', 'NOTHING'])).toEqual([{ name: 'NPM_TOKEN', value }]);
  expect(await secrets.ofRun('run_o', ['NPM_TOKEN'])).toEqual([]);
  const stranger = createSecretStore(database, () => Buffer.alloc(32, 2));
  await expect(stranger.ofRun('run_w', ['NPM_TOKEN'])).rejects.toMatchObject({ code: 'secret/no-key' });
  expect(await secrets.list({ limit: 10 })).toEqual([
    { project: 'web', name: 'NPM_TOKEN', updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  expect(await secrets.list({ limit: 10, after: { name: 'NPM_TOKEN', project: 'web' } })).toEqual([]);
  expect([await secrets.remove(secret), await secrets.remove(secret)]).toEqual([true, false]);
});

test('the names of secrets that a run will ask for are those of all its steps, each once', async () => {
  const steps = samplePlan().steps.flatMap((step) => [
    { ...step, id: 'a', secrets: ['B', 'A'] },
    { ...step, id: 'b', secrets: [] },
    { ...step, id: 'c', secrets: ['A'] },
  ]);
  const plan = samplePlan({ steps });
  await createRunStore(database).start({ runId: 'run_n', bodySha256: 'x', plan, inputs: {} });
  expect(await createSecretStore(database, () => key).namedByRun('run_n')).toEqual(['A', 'B']);
});

test('D-14: the secrets of its handlers are among them', async () => {
  const [first] = samplePlan({ steps: samplePlan().steps.slice(0, 1) }).steps;
  if (first === undefined) throw new TypeError('the sample has no step');
  const exit = { ...first, id: 'on-exit', secrets: ['HOOK'] };
  const plan = samplePlan({ steps: [{ ...first, secrets: ['A'] }], handlers: { exit } });
  await createRunStore(database).start({ runId: 'run_h', bodySha256: 'x', plan, inputs: {} });
  expect(await createSecretStore(database, () => key).namedByRun('run_h')).toEqual(['A', 'HOOK']);
});

test('a person is found by the hash of the newest token, and keeps what a change does not name', async () => {
  const people = createPersonStore(database);
  const put = (more: object) => people.put({ name: 'ada', tokenSha256: 'first', newToken: false, ...more });
  expect(await put({ teams: ['web', 'web', 'ops'] })).toMatchObject({
    person: { name: 'ada', teams: ['web', 'ops'], admin: false },
    created: true,
    hasToken: true,
  });
  expect(await put({ admin: true, tokenSha256: 'second' })).toMatchObject({
    person: { teams: ['web', 'ops'], admin: true },
    created: false,
    hasToken: false,
  });
  expect((await people.findByToken('first'))?.name).toBe('ada');
  expect(await put({ tokenSha256: 'second', newToken: true })).toMatchObject({ created: false, hasToken: true });
  expect(await people.findByToken('first')).toBeUndefined();
  expect((await people.findByToken('second'))?.admin).toBe(true);
  await people.put({ name: 'bob', tokenSha256: 'third', newToken: false });
  expect((await people.list({ limit: 1 })).map(({ name }) => name)).toEqual(['ada']);
  expect((await people.list({ limit: 5, after: 'ada' })).map(({ name }) => name)).toEqual(['bob']);
  expect([await people.remove('ada'), await people.remove('ada')]).toEqual([true, false]);
  expect(await people.findByToken('second')).toBeUndefined();
});

test('of labels those that are off are told; one that was never switched is on', async () => {
  const sources = createSourceStore(database);
  const off = (...labels: string[]) => database.transaction((within) => heldSources(within, labels));
  await sources.put({ label: 'nightly', on: false, changedBy: 'ada', id: '1' });
  await sources.put({ label: 'issues', on: false, changedBy: 'ada', id: '2' });
  expect(await off('nightly', 'issues', 'never')).toEqual(['issues', 'nightly']);
  expect(await sources.put({ label: 'issues', on: true, changedBy: 'bob', id: '3' })).toMatchObject({
    source: { on: true, changedBy: 'bob' },
    messages: [],
  });
  expect(await off('nightly', 'issues')).toEqual(['nightly']);
  expect((await sources.list({ limit: 5 })).map(({ label, on }) => [label, on])).toEqual([
    ['issues', true],
    ['nightly', false],
  ]);
});
