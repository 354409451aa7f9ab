import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '#core/notify/channel.ts';
import type { Notification } from '#core/notify/notification.ts';
import { send } from '#infra/notify/channels.ts';

/** Takes connections and says nothing, in whatever language it is asked. */
let silent: Server;
let port: number;
beforeAll(async () => {
  silent = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  port = (silent.address() as AddressInfo).port;
});
afterAll(() => silent.close());

const notification: Notification = {
  id: 'run_1:1',
  at: '2026-01-01T00:00:00.000Z',
  url: 'http://127.0.0.1/v1/runs/run_1',
  run: { id: 'run_1', name: 'Mend', project: 'web', labels: [], url: 'http://127.0.0.1/v1/runs/run_1' },
  type: 'run.paused',
  code: 'x',
  reason: 'Why.',
  remedy: 'Do.',
  commands: [],
};
const never = new AbortController().signal;

test('a receiver that takes the connection and says nothing is left after the limit, on every channel', async () => {
  const url = `127.0.0.1:${port}`;
  const settings = {
    webhook: { url: `http://${url}`, secret: 'a plain text of some length' },
    slack: `https://${url}`,
    email: { smtpUrl: `smtp://${url}`, from: 'a@example.com', to: ['b@example.com'] },
    types: [],
    callbackHosts: undefined,
  };
  const callback = { url: `http://${url}` };
  const channels: Channel[] = ['webhook', 'slack', 'email', 'callback'];
  const outcomes = await Promise.all(
    channels.map((channel) =>
      send(settings, async () => undefined, { channel, notification, callback, signal: never }, 100),
    ),
  );
  expect(outcomes).toEqual(channels.map(() => ({ kind: 'later', reason: 'There was no answer within 0.1 s.' })));
});

test('what is not there is told by its cause', async () => {
  const nobody = { webhook: undefined, slack: undefined, email: undefined, types: [], callbackHosts: undefined };
  const call = (url: string) =>
    send(nobody, async () => undefined, { channel: 'callback', notification, callback: { url }, signal: never });
  expect(await call('http://localhost:1')).toMatchObject({
    kind: 'later',
    reason: expect.stringMatching(/ECONNREFUSED/),
  });
  expect(await call('http://nowhere.invalid')).toMatchObject({
    kind: 'later',
    reason: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
  });
});
