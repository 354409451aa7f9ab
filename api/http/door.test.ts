import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '#core/contract/http.ts';
import { bodyOf, withApi, type TestApi } from '../../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

test('every call but the probes needs the token', async () => {
  for (const path of ['/v1/runs', '/v1/openapi.json', '/metrics', '/v1/nothing']) {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic a-token']) {
      const response = await api.app.request(path, { headers: { authorization } });
      expect([path, response.status, (await bodyOf(response, Problem)).code]).toEqual([path, 401, 'http/unauthorized']);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  }
  expect((await api.app.request('/healthz')).status).toBe(200);
  const ready = await api.app.request('/readyz');
  expect([ready.status, await ready.json()]).toEqual([200, { database: true, temporal: true }]);
});

test('an unknown call is a problem', async () => {
  const response = await api.call('/v1/nothing');
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect((await bodyOf(response, Problem)).code).toBe('http/not-found');
});

test('metrics count runs by status', async () => {
  await api.newRun();
  const text = await (await api.call('/metrics')).text();
  expect(text).toContain('setpoint_runs{status="queued"} 1');
});

test('a database that is away is a 503 that says when to try again, and what to do', async () => {
  const away = await withApi();
  await away.database.close();
  const response = await away.call('/v1/runs');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  const { code, remedy } = await bodyOf(response, Problem);
  expect([code, remedy]).toEqual(['store/unavailable', expect.stringContaining('setpoint status')]);
  await Promise.all([away.parts.stream.close(), away.parts.engine.close()]);
});

test('what nobody foresaw is answered without its inside', async () => {
  const broken = await withApi();
  broken.parts.runs.list = () => Promise.reject(new RangeError('secret inside'));
  const response = await broken.call('/v1/runs');
  expect(response.status).toBe(500);
  const problem = await bodyOf(response, Problem);
  expect(problem.code).toBe('internal');
  expect(JSON.stringify(problem)).not.toContain('secret inside');
  await broken.close();
});
