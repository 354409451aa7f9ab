import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Callback } from '#core/notify/channel.ts';
import { notificationTypes } from '#core/notify/notification.ts';
import { outboxRows } from '#core/notify/outbox-rows.ts';
import type { RunEvent } from '#core/run/event.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createOutboxStore, type OutboxStore } from '#infra/postgres/outbox-store.ts';
import { createRunStore, type RunStore } from '#infra/postgres/run-store.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;
let runs: RunStore;
let outbox: OutboxStore;

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  const audience = { channels: ['webhook'] as const, types: notificationTypes };
  runs = createRunStore(database, (batch) => outboxRows(audience, batch));
  outbox = createOutboxStore(database, { baseUrl: 'http://127.0.0.1:4747' });
});
beforeEach(() => database.query({ text: 'truncate runs cascade', values: [] }));
afterAll(async () => {
  await database.close();
  await server.close();
});

const at = 1_750_000_000_000;
const pause: RunEvent = { type: 'run.paused', at, code: 'x', reason: 'Why.', remedy: 'Do.' };
const end: RunEvent = { type: 'run.stopped', at, stop: { kind: 'failed', reason: 'Because.' } };

async function start(runId: string, callback?: Callback): Promise<void> {
  const plan = samplePlan({ project: 'web', labels: ['a'] });
  await runs.start({ runId, bodySha256: 'x', plan, inputs: {}, ...(callback === undefined ? {} : { callback }) });
}

async function record(runId: string, events: RunEvent[], seat = 1) {
  const stored = events.map((event, index) => ({ seq: index + 1, event }));
  const summary = { status: 'running' as const, passes: 1, spendUsd: 0, seq: events.length };
  return runs.appendEvents({ runId, seat, events: stored, summary });
}

async function rows(): Promise<string[]> {
  const answer = await database.query({
    text: `select run_id || ':' || seq || ' ' || channel || ' ' || status as row from outbox order by id`,
    values: [],
  });
  return answer.rows.map((row) => String(row['row']));
}

const take = async (limit = 10) => outbox.take(['webhook', 'callback'], limit);
const idsOf = (taken: Awaited<ReturnType<typeof take>>) =>
  taken.map(({ content }) => (content.kind === 'readable' ? content.notification.id : content.kind));
const hurry = () => database.query({ text: `update outbox set due_at = now() where status = 'due'`, values: [] });

test('notifications are written with the events they tell of, once, however often the batch comes', async () => {
  await start('run_1');
  await record('run_1', [pause]);
  await record('run_1', [pause, { type: 'timer.fired', at }, end]);
  await record('run_1', [pause, { type: 'timer.fired', at }, end]);
  expect(await rows()).toEqual(['run_1:1 webhook due', 'run_1:3 webhook due']);
});

test('a seat that lost the run tells nobody anything', async () => {
  await start('run_1');
  expect(await record('run_1', [pause], 7)).toBe('superseded');
  expect(await rows()).toEqual([]);
});

test('only a run with a callback has its end written for it', async () => {
  await start('run_1');
  await start('run_2', { url: 'https://ci.example/hook', secret: 'env:HOOK' });
  for (const runId of ['run_1', 'run_2']) await record(runId, [pause, end]);
  expect((await rows()).filter((row) => row.includes('callback'))).toEqual(['run_2:2 callback due']);
});

test('what is taken is whole: the run with its link, the time of the event, and the callback', async () => {
  await start('run_1', { url: 'https://ci.example/hook' });
  await record('run_1', [end]);
  const [first] = await outbox.take(['callback'], 10);
  expect(first).toMatchObject({
    channel: 'callback',
    tries: 1,
    content: {
      kind: 'readable',
      callback: { url: 'https://ci.example/hook' },
      notification: {
        id: 'run_1:1',
        type: 'run.ended',
        at: new Date(at).toISOString(),
        run: {
          id: 'run_1',
          name: 'Green tests',
          project: 'web',
          labels: ['a'],
          url: 'http://127.0.0.1:4747/v1/runs/run_1',
        },
        stop: { kind: 'failed', reason: 'Because.' },
      },
    },
  });
});

test('D5: a reminder is told with the question that its task was opened with, not with another one', async () => {
  await start('run_1');
  const on = { at, step: 'ready', pass: 1, task: 'task_1.ready' };
  const ask = (revision: number, text: string): RunEvent => ({
    type: 'task.opened',
    ...on,
    revision,
    ask: { text },
    shown: [],
    who: [],
    quorum: 1,
    notAuthor: false,
    backTo: [],
  });
  await record('run_1', [ask(1, 'First?'), ask(2, 'Second?'), { type: 'task.reminded', ...on, revision: 2, count: 1 }]);
  await database.query({ text: `update outbox set status = 'sent' where seq < 3`, values: [] });
  const [reminder] = await take();
  expect(reminder).toMatchObject({
    content: {
      notification: {
        type: 'task.reminded',
        ask: 'Second?',
        url: 'http://127.0.0.1:4747/v1/tasks/task_1.ready',
        task: { id: 'task_1.ready', revision: 2 },
      },
    },
  });
});

test('how a child run ends is told to its own callback only; what it asks of people is told as ever', async () => {
  await start('run_1', { url: 'https://ci.example/hook' });
  await database.query({ text: `update runs set parent = '{}'`, values: [] });
  await record('run_1', [pause, end]);
  expect(await rows()).toEqual(['run_1:1 webhook due', 'run_1:2 callback due']);
});

test("the callback of the plan is the run's, unless the request names another; one that is wrong stops no other channel", async () => {
  const plan = samplePlan({ callback: { url: 'https://ci.example/plan' } });
  await runs.start({ runId: 'run_1', bodySha256: 'x', plan, inputs: {} });
  await runs.start({ runId: 'run_2', bodySha256: 'x', plan, inputs: {}, callback: { url: 'https://ci.example/own' } });
  const { rows: kept } = await database.query({
    text: `select callback ->> 'url' as url from runs order by 1`,
    values: [],
  });
  expect(kept).toEqual([{ url: 'https://ci.example/own' }, { url: 'https://ci.example/plan' }]);
  await database.query({
    text: `update runs set callback = '{"url": "file:///etc/passwd"}' where run_id = 'run_1'`,
    values: [],
  });
  await record('run_1', [end]);
  const found = (await take()).map(({ channel, content }) => `${channel} ${content.kind}`);
  expect(new Set(found)).toEqual(new Set(['webhook readable', 'callback unreadable']));
});

test('each notification goes to one of all who take at the same moment', async () => {
  for (let index = 0; index < 20; index += 1) {
    await start(`run_${index}`);
    await record(`run_${index}`, [end]);
  }
  const taken = (await Promise.all(Array.from({ length: 5 }, () => take(10)))).flat();
  expect(taken).toHaveLength(20);
  expect(new Set(idsOf(taken)).size).toBe(20);
});

test('of a run on a channel the first goes first; one that waits for its retry holds up nothing', async () => {
  await start('run_1');
  await start('run_2');
  await record('run_1', [pause, pause, end]);
  await record('run_2', [end]);
  const [first, other] = await take();
  expect(idsOf([first, other].flatMap((one) => one ?? []))).toEqual(['run_1:1', 'run_2:1']);
  if (first === undefined || other === undefined) return;
  await outbox.markSent(other);
  expect(await take()).toEqual([]);
  await outbox.markFailed(first, 'It answered 500.', 10);
  const [second] = await take();
  expect(idsOf(second === undefined ? [] : [second])).toEqual(['run_1:2']);
  if (second === undefined) return;
  await outbox.release(second);
  await hurry();
  expect(idsOf(await take())).toEqual(['run_1:1']);
});

test('a notification whose drainer died is due again, and what the dead one says of it no longer counts', async () => {
  await start('run_1');
  await record('run_1', [end]);
  const [dead] = await take();
  expect(await take()).toEqual([]);
  await hurry();
  const [again] = await take();
  expect(again).toMatchObject({ tries: 2 });
  if (dead === undefined || again === undefined) return;
  await outbox.markFailed(dead, 'late', undefined);
  expect(await rows()).toEqual(['run_1:1 webhook due']);
  await outbox.markSent(again);
  expect(await rows()).toEqual(['run_1:1 webhook sent']);
  await hurry();
  expect(await take()).toEqual([]);
});

test('what is given up stays, with the last error', async () => {
  await start('run_1');
  await record('run_1', [end]);
  const [taken] = await take();
  if (taken !== undefined) await outbox.markFailed(taken, 'It answered 404.', undefined);
  const { rows: kept } = await database.query({ text: 'select status, tries, last_error from outbox', values: [] });
  expect(kept).toEqual([{ status: 'given_up', tries: 1, last_error: 'It answered 404.' }]);
  expect(await take()).toEqual([]);
});

test('a notification of another version that cannot be read holds up no other', async () => {
  await start('run_1');
  await start('run_2');
  await record('run_1', [end]);
  await record('run_2', [end]);
  await database.query({ text: `update outbox set body = '{"type": "later"}' where run_id = 'run_1'`, values: [] });
  expect(idsOf(await take())).toEqual(['unreadable', 'run_2:1']);
});
