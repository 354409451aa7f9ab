import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Callback } from '#core/notify/channel.ts';
import { notificationTypes } from '#core/notify/notification.ts';
import type { RunEvent } from '#core/run/event.ts';
import { createLogger } from '#infra/log.ts';
import { send, type SecretOf } from '#infra/notify/channels.ts';
import type { NotifyConfig } from '#infra/notify/settings.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createOutboxStore, type OutboxStore } from '#infra/postgres/outbox-store.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { notifyUntil } from '#workers/control/notify.ts';
import { tellingOf } from '#workers/control/notifying.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { Inbox } from '../../test/integration/inbox.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';
import { withReceiver, type Receiver } from '../../test/integration/with-receiver.ts';

const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const log = createLogger('control', 'silent');
const at = 1_750_000_000_000;
const pause: RunEvent = { type: 'run.paused', at, code: 'x', reason: 'Why.', remedy: 'Do.' };
const end: RunEvent = { type: 'run.stopped', at, stop: { kind: 'failed', reason: 'Because.' } };
const nobody: NotifyConfig = {
  webhook: undefined,
  slack: undefined,
  email: undefined,
  types: notificationTypes,
  callbackHosts: undefined,
};

let server: TestDatabase;
let database: Database;
let receiver: Receiver;
let webhook: NotifyConfig;
let count = 0;
const draining: Drain[] = [];

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
});
beforeEach(async () => {
  await database.query({ text: 'truncate runs cascade', values: [] });
  receiver = await withReceiver();
  webhook = { ...nobody, webhook: { url: `${receiver.url}/hook`, secret } };
});
afterEach(async () => {
  await Promise.all(draining.splice(0).map(({ stop }) => stop()));
  await receiver.close();
});
afterAll(async () => {
  await database.close();
  await server.close();
});

/** A run with these events recorded; its id. */
async function run(settings: NotifyConfig, events: RunEvent[], callback?: Callback): Promise<string> {
  count += 1;
  const runId = `run_${count}`;
  const runs = createRunStore(database, tellingOf({ notify: settings }));
  const given = callback === undefined ? {} : { callback };
  await runs.start({ runId, bodySha256: 'x', plan: samplePlan(), inputs: {}, ...given });
  const stored = events.map((event, index) => ({ seq: index + 1, event }));
  const summary = { status: 'running' as const, passes: 1, spendUsd: 0, seq: events.length };
  await runs.appendEvents({ runId, seat: 1, events: stored, summary });
  return runId;
}

interface Drain {
  /** What was noted of each try, in order, once it stands in the database. */
  noted: Inbox<string>;
  stop: () => Promise<void>;
}

function drain(settings: NotifyConfig, changes: Partial<OutboxStore> = {}, secretOf: SecretOf = noSecret): Drain {
  const outbox = createOutboxStore(database, { baseUrl: 'http://127.0.0.1:4747' });
  const noted = new Inbox<string>();
  const watched: OutboxStore = {
    ...outbox,
    async markSent(taken) {
      await outbox.markSent(taken);
      noted.put('sent');
    },
    async markFailed(taken, error, seconds) {
      await outbox.markFailed(taken, error, seconds);
      noted.put(seconds === undefined ? `given up: ${error}` : `again in ${seconds} s: ${error}`);
    },
    async release(taken) {
      await outbox.release(taken);
      noted.put('released');
    },
    ...changes,
  };
  const ending = new AbortController();
  const notifying = { outbox: watched, send: send.bind(undefined, settings, secretOf) };
  const ended = notifyUntil(notifying, log, ending.signal);
  const stop = async () => {
    ending.abort();
    await ended;
  };
  const drained = { noted, stop };
  draining.push(drained);
  return drained;
}

const noSecret: SecretOf = async () => undefined;
const hurry = () => database.query({ text: `update outbox set due_at = now() where status = 'due'`, values: [] });
const states = async () => {
  const { rows } = await database.query({ text: 'select channel, status from outbox order by id', values: [] });
  return rows.map((row) => `${String(row['channel'])} ${String(row['status'])}`);
};

test('a webhook is signed by the Standard Webhooks scheme: the library of receivers verifies it', async () => {
  const runId = await run(webhook, [end]);
  const { noted } = drain(webhook);
  const { headers, body, path } = await receiver.received.next();
  expect(path).toBe('/hook');
  expect(headers['webhook-id']).toBe(`${runId}:1`);
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verified).toMatchObject({ id: `${runId}:1`, type: 'run.ended', run: { id: runId }, stop: { kind: 'failed' } });
  expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow(/signature/);
  expect(await noted.next()).toBe('sent');
});

test('after a 500 the same notification comes again under the same id', async () => {
  receiver.answer(500);
  receiver.answer(429);
  await run(webhook, [end]);
  const { noted } = drain(webhook);
  expect(await noted.next()).toBe('again in 10 s: It answered 500.');
  await hurry();
  expect(await noted.next()).toBe('again in 60 s: It answered 429.');
  await hurry();
  expect(await noted.next()).toBe('sent');
  const ids = [await receiver.received.next(), await receiver.received.next(), await receiver.received.next()];
  expect(new Set(ids.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('a refusal and a redirect are given up at once; after three days any failure is', async () => {
  receiver.answer(404);
  await run(webhook, [end]);
  const { noted } = drain(webhook);
  expect(await noted.next()).toBe('given up: It answered 404.');
  receiver.answer((response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end());
  await run(webhook, [end]);
  expect(await noted.next()).toBe('given up: It answered 302. Redirects are not followed.');
  receiver.answer(500);
  receiver.answer(500);
  await run(webhook, [end]);
  expect(await noted.next()).toMatch(/^again/);
  await database.query({
    text: `update outbox set created_at = now() - interval '71 h 59 m', tries = 9, due_at = now() where status = 'due'`,
    values: [],
  });
  expect(await noted.next()).toBe('given up: It answered 500.');
  expect(await states()).toEqual(['webhook given_up', 'webhook given_up', 'webhook given_up']);
});

test('notifications of a run come in the order of its events', async () => {
  const runId = await run(webhook, [pause, pause, pause, end]);
  const { noted } = drain(webhook);
  const ids: unknown[] = [];
  for (let index = 0; index < 4; index += 1) {
    ids.push((await receiver.received.next()).headers['webhook-id']);
    await noted.next();
  }
  expect(ids).toEqual([`${runId}:1`, `${runId}:2`, `${runId}:3`, `${runId}:4`]);
});

test('a crash between sending and marking sends again, under the same id', async () => {
  const runId = await run(webhook, [end]);
  const died = new Inbox<string>();
  const crash = async () => {
    died.put('died');
    throw new Error('the process is gone');
  };
  const first = drain(webhook, { markSent: crash });
  expect((await receiver.received.next()).headers['webhook-id']).toBe(`${runId}:1`);
  await died.next();
  await first.stop();
  expect(await states()).toEqual(['webhook due']);
  const second = drain(webhook);
  await hurry();
  expect((await receiver.received.next()).headers['webhook-id']).toBe(`${runId}:1`);
  expect(await second.noted.next()).toBe('sent');
});

test('two drainers side by side send each notification once', async () => {
  const expected: string[] = [];
  for (let index = 0; index < 25; index += 1) expected.push(`${await run(webhook, [end])}:1`);
  const both = [drain(webhook), drain(webhook)];
  const ids: unknown[] = [];
  for (const _ of expected) ids.push((await receiver.received.next()).headers['webhook-id']);
  await Promise.all(both.map(({ stop }) => stop()));
  expect(ids).toHaveLength(expected.length);
  expect(new Set(ids)).toEqual(new Set(expected));
  expect(receiver.received.unread).toBe(0);
  expect(new Set(await states())).toEqual(new Set(['webhook sent']));
});

test('a receiver that hangs holds up its own channel only, and a worker that leaves gives the rest back', async () => {
  const slack = await withReceiver();
  const settings = { ...webhook, slack: slack.url };
  receiver.answer(() => undefined);
  const runId = await run(settings, [end]);
  const { noted, stop } = drain(settings);
  await receiver.received.next();
  expect((await slack.received.next()).body).toContain(runId);
  expect(await noted.next()).toBe('sent');
  await stop();
  expect(await noted.next()).toBe('released');
  const { rows } = await database.query({ text: `select tries from outbox where status = 'due'`, values: [] });
  expect(rows).toEqual([{ tries: 0 }]);
  await slack.close();
});

test('a callback is called when the run ends, signed by the secret that it names', async () => {
  const callback = { url: `${receiver.url}/ci`, secret: 'env:HOOK' };
  const runId = await run(nobody, [pause, end], callback);
  const asked: string[] = [];
  const secretOf: SecretOf = async (reference, of) => {
    asked.push(`${reference} of ${of}`);
    return 'a plain text of some length';
  };
  const { noted } = drain(nobody, {}, secretOf);
  const { headers, body, path } = await receiver.received.next();
  expect(path).toBe('/ci');
  const verifier = new Webhook(Buffer.from('a plain text of some length'), { format: 'raw' });
  expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({ type: 'run.ended' });
  expect(asked).toEqual([`env:HOOK of ${runId}`]);
  expect(await noted.next()).toBe('sent');
});

test('a callback whose secret is not there waits for it, and is never sent unsigned', async () => {
  await run(nobody, [end], { url: receiver.url, secret: 'env:HOOK' });
  const { noted } = drain(nobody);
  expect(await noted.next()).toBe('again in 10 s: env:HOOK, which signs it, has no value.');
  expect(receiver.received.unread).toBe(0);
});

test('a callback into the link-local network, or to a host that the settings leave out, is given up unsent', async () => {
  await run(nobody, [end], { url: 'http://169.254.169.254/latest/meta-data' });
  const { noted } = drain({ ...nobody, callbackHosts: ['ci.example'] });
  expect(await noted.next()).toMatch(/^given up: It may not be called: 169.254.169.254 is a link-local/);
  await run(nobody, [end], { url: receiver.url });
  expect(await noted.next()).toMatch(/^given up: .*SETPOINT_NOTIFY_ALLOW does not name 127.0.0.1/);
  expect(receiver.received.unread).toBe(0);
});

test('a mail reaches everybody, with a stable id, and a name with line breaks adds no header', async () => {
  const mails = new Inbox<{ to: string[]; mail: string }>();
  const refusing: Error[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const refusal = refusing.shift();
      const to = session.envelope.rcptTo.map(({ address }) => address);
      stream.on('end', () => done(refusal));
      if (refusal === undefined) void text(stream).then((mail) => mails.put({ to, mail }));
      else stream.resume();
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  const to = ['ops@example.com', 'dev@example.com'];
  const settings = { ...nobody, email: { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'setpoint@example.com', to } };
  refusing.push(Object.assign(new Error('busy'), { responseCode: 451 }));
  const runId = await run(settings, [end]);
  await database.query({ text: `update runs set name = E'Mend\\r\\nBcc: all@example.com'`, values: [] });
  const { noted } = drain(settings);
  expect(await noted.next()).toMatch(/^again in 10 s: .*451/);
  await hurry();
  const { to: reached, mail } = await mails.next();
  expect(reached).toEqual(to);
  expect(mail).toMatch(new RegExp(`^Message-ID: <${runId}\\.1@setpoint>`, 'im'));
  expect(mail).toMatch(/^Subject: Mend Bcc: all@example.com: failed\r$/m);
  expect(mail).not.toMatch(/^Bcc:/m);
  expect(mail).toContain(`setpoint show ${runId}`);
  expect(await noted.next()).toBe('sent');
  refusing.push(Object.assign(new Error('no'), { responseCode: 554 }));
  await run(settings, [end]);
  expect(await noted.next()).toMatch(/^given up: .*554/);
  await new Promise<void>((resolve) => smtp.close(resolve));
});
