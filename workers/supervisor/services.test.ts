import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '#infra/stack/free-port.ts';
import { apiService } from '#workers/supervisor/services.ts';
import type { StackPlan } from '#workers/supervisor/stack-plan.ts';

const token = 'of-the-one-that-serves';
const server = createServer((request, response) => {
  const known = request.headers.authorization === `Bearer ${token}`;
  response.writeHead(request.url === '/healthz' || known ? 200 : 401).end();
});
let port: number;

beforeEach(async () => {
  port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function plan(ours: string): StackPlan {
  return {
    home: '/nowhere',
    url: `http://127.0.0.1:${port}`,
    token: ours,
    temporalAddress: '127.0.0.1:1',
    temporalNamespace: 'default',
    databaseUrl: 'postgres://127.0.0.1:1/x',
    external: [],
    kept: { ports: { api: port, temporal: 1, postgres: 1 }, databasePassword: 'x', databaseFolder: null },
  };
}

const self = { pid: process.pid, startMark: 'any' };

test('the API is ready when its door takes the token of the stack', async () => {
  const ready = apiService(plan(token), ['node']).ready(self, AbortSignal.timeout(5_000));
  await expect(ready).resolves.toBeUndefined();
});

test('the healthy API of another stack on our port is not ours', async () => {
  const ended = new AbortController();
  const ready = apiService(plan('ours'), ['node']).ready(self, ended.signal);
  // The second request to the door: it was asked, refused, and asked again.
  for (let asked = 0; asked < 2;) {
    const [request] = await once(server, 'request');
    if (request.url !== '/healthz') asked += 1;
  }
  ended.abort(new Error('our API ended'));
  await expect(ready).rejects.toThrow('our API ended');
});
