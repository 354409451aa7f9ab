import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { freePort } from '#infra/stack/free-port.ts';

test('a port is never one that the system gives to outgoing connections', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(ports.filter((port) => port < 20_000 || port >= 32_000)).toEqual([]);
});

test('the wanted port is given while it is free, else another', async () => {
  const wanted = await freePort();
  expect(await freePort(wanted)).toBe(wanted);
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  expect(await freePort(wanted)).not.toBe(wanted);
  server.close();
});
