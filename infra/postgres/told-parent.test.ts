import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ParentRef } from '#core/run/event.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { createMessageStore } from '#infra/postgres/message-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore, type RunStore } from '#infra/postgres/run-store.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { type TestDatabase, withPostgres } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;
let runs: RunStore;

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  runs = createRunStore(database);
});
afterAll(async () => {
  await database.close();
  await server.close();
});

const spend = { usd: 1, estimated: false, inputTokens: 1, outputTokens: 1 };

function endOf(runId: string, parent: ParentRef, seat = 1) {
  const stop = { kind: 'succeeded' as const, reason: 'r' };
  const event = { type: 'run.stopped' as const, at: 5, stop, toParent: { outputs: {}, spend, activeMs: 1 } };
  const summary = { status: 'ended' as const, stop, passes: 1, spendUsd: 1, seq: 1 };
  return { runId, seat, parent, events: [{ seq: 1, event }], summary };
}

async function family(name: string): Promise<{ parent: ParentRef; child: string }> {
  const parent = { runId: `run_${name}_p`, step: 'call', pass: 1, index: 0 };
  const child = `run_${name}_c`;
  await runs.start({ runId: parent.runId, bodySha256: 'x', plan: samplePlan(), inputs: {} });
  await runs.start({ runId: child, bodySha256: 'x', plan: samplePlan(), inputs: {}, parent });
  return { parent, child };
}

const messages = async (runId: string) =>
  (await database.query({ text: 'select id, status from messages where run_id = $1', values: [runId] })).rows;

test('decision 12: the word to the parent is stored with the end of the child, once, and due at once', async () => {
  const { parent, child } = await family('due');
  expect(await runs.appendEvents(endOf(child, parent))).toBe('recorded');
  expect(await runs.appendEvents(endOf(child, parent))).toBe('recorded');
  expect(await messages(parent.runId)).toEqual([{ id: `child:${child}:1`, status: 'pending' }]);
  const due = await createMessageStore(database).takePending(10);
  expect(due.map(({ runId, message }) => [runId, message.kind])).toEqual([[parent.runId, 'childSettled']]);
  expect((await runs.find(child))?.parent).toEqual(parent);
  expect((await runs.list({ filter: { parent: parent.runId }, limit: 9 })).map(({ runId }) => runId)).toEqual([child]);
});

test('decision 13: a seat that lost the child tells its parent nothing', async () => {
  const { parent, child } = await family('lost');
  expect(await runs.appendEvents(endOf(child, parent, 2))).toBe('superseded');
  expect(await messages(parent.runId)).toEqual([]);
});

test('a child whose parent is not there any more is recorded all the same', async () => {
  const { child } = await family('gone');
  const parent = { runId: 'run_nowhere', step: 'call', pass: 1, index: 0 };
  expect(await runs.appendEvents(endOf(child, parent))).toBe('recorded');
  expect((await runs.find(child))?.summary.status).toBe('ended');
});
