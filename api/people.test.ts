import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem, RunListed, RunShown } from '#core/contract/http.ts';
import { PersonList, PersonPut } from '#core/contract/library.ts';
import { isInTeam, Principal } from '#core/contract/principal.ts';
import { bodyOf, withApi, type TestApi } from '../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const put = (name: string, body: object, token = 'a-token') =>
  api.call(`/v1/people/${name}`, { method: 'PUT', body, ...as(token) });
const tokenOf = async (response: Promise<Response>) => (await bodyOf(response, PersonPut)).token ?? '';
const codeOf = async (response: Promise<Response>) => (await bodyOf(response, Problem)).code;

test('the owner of the server is in all teams and an admin', async () => {
  const me = await bodyOf(api.call('/v1/me'), Principal);
  expect(me).toEqual({ name: 'owner', teams: 'all', admin: true });
  expect([isInTeam(me, 'web'), isInTeam({ ...me, teams: ['web'] }, 'ops')]).toEqual([true, false]);
});

test('a person gets a token once, and what it starts bears the name', async () => {
  const response = await put('ada', { teams: ['web'] });
  expect(response.status).toBe(201);
  const { token = '', ...ada } = await bodyOf(response, PersonPut);
  expect(ada).toMatchObject({ name: 'ada', teams: ['web'], admin: false });
  expect(await bodyOf(api.call('/v1/me', as(token)), Principal)).toEqual({ name: 'ada', teams: ['web'], admin: false });
  const body = { source: 'task: x\nagent: codex\nchecks: [npm test]\n' };
  const run = await bodyOf(api.call('/v1/runs', { body, ...as(token) }), RunListed);
  expect(run.createdBy).toBe('ada');
  expect((await bodyOf(api.call(`/v1/runs/${run.runId}`), RunShown)).createdBy).toBe('ada');
  const list = await (await api.call('/v1/people')).text();
  expect(list).not.toContain(token);
  expect(PersonList.parse(JSON.parse(list)).people).toEqual([ada]);
  const { rows } = await api.database.query({ text: 'select * from people', values: [] });
  expect(JSON.stringify(rows)).not.toContain(token);
});

test('a change keeps the token and what it does not name; a new token ends the one before', async () => {
  const first = await tokenOf(put('bob', { teams: ['ops'] }));
  const changed = await put('bob', { admin: true });
  expect([changed.status, await changed.json()]).toEqual([
    200,
    { name: 'bob', teams: ['ops'], admin: true, createdAt: expect.any(String) },
  ]);
  expect((await api.call('/v1/me', as(first))).status).toBe(200);
  const second = await tokenOf(put('bob', { newToken: true }));
  expect(second).toMatch(/^spp_[\w-]{43}$/);
  expect((await api.call('/v1/me', as(first))).status).toBe(401);
  expect((await api.call('/v1/me', as(second))).status).toBe(200);
});

test('adding and removing people is for admins', async () => {
  const token = await tokenOf(put('carol', {}));
  expect(await codeOf(put('carol', { admin: true }, token))).toBe('http/forbidden');
  const refused = await api.call('/v1/people/bob', { method: 'DELETE', ...as(token) });
  const { status, remedy } = await bodyOf(refused, Problem);
  expect([status, remedy]).toEqual([403, expect.stringContaining('admin')]);
  expect((await api.call('/v1/people', as(token))).status).toBe(200);
  await put('carol', { admin: true });
  expect((await put('dave', {}, token)).status).toBe(201);
});

test('a removed person is let in no more', async () => {
  const token = await tokenOf(put('eve', {}));
  expect((await api.call('/v1/people/eve', { method: 'DELETE' })).status).toBe(204);
  expect(await codeOf(api.call('/v1/me', as(token)))).toBe('http/unauthorized');
  expect(await codeOf(api.call('/v1/people/eve', { method: 'DELETE' }))).toBe('person/not-found');
});

test('a name that is nobody’s, the owner’s name and a team that is none are refused', async () => {
  for (const name of ['-x', 'team:web', 'owner', 'x'.repeat(65)]) {
    expect([name, await codeOf(put(name, {}))]).toEqual([name, 'http/bad-request']);
  }
  expect(await codeOf(put('frank', { teams: ['The Team'] }))).toBe('http/bad-request');
});

test('people are listed by cursor', async () => {
  const names: string[] = [];
  let cursor = '';
  do {
    const page = await bodyOf(api.call(`/v1/people?limit=2&cursor=${cursor}`), PersonList);
    names.push(...page.people.map(({ name }) => name));
    cursor = page.cursor ?? '';
  } while (cursor !== '');
  expect(names).toEqual(['ada', 'bob', 'carol', 'dave']);
});

test('what cannot be a token never reaches the database; a person’s token needs it, the owner’s does not', async () => {
  const away = await withApi();
  await away.database.close();
  const statusOf = async (token: string) => (await away.call('/v1/me', as(token))).status;
  expect(await statusOf('a-token')).toBe(200);
  expect(await statusOf('wrong')).toBe(401);
  expect(await statusOf(`spp_${'x'.repeat(43)}`)).toBe(503);
  await Promise.all([away.parts.stream.close(), away.parts.engine.close()]);
});
