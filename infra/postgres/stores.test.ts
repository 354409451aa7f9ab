import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Verdict } from '#core/check/verdict.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { createAttemptStore } from '#infra/postgres/attempt-store.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { createHostStore } from '#infra/postgres/host-store.ts';
import { createMessageStore } from '#infra/postgres/message-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createVerdictStore } from '#infra/postgres/verdict-store.ts';
import { createWorkspaceStore } from '#infra/postgres/workspace-store.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  const runs = createRunStore(database);
  for (const runId of ['run_1', 'run_2']) {
    await runs.start({ runId, bodySha256: runId, plan: samplePlan(), inputs: {} });
  }
});
afterAll(async () => {
  await database.close();
  await server.close();
});

const spend = { usd: 0.25, estimated: false, inputTokens: 10, outputTokens: 5 };
const result: AttemptResult = {
  end: { kind: 'ok' },
  output: { sha256: 'x', bytes: 1, excerpt: 'x' },
  fingerprint: 'f',
  spend,
  findings: [],
  durationMs: 1,
};

test('an attempt is found by its key at the stage it reached, and a stage never goes back (decision 4)', async () => {
  const attempts = createAttemptStore(database);
  const key = { runId: 'run_1', step: 'work', pass: 1, attempt: 1 };
  expect(await attempts.find(key)).toBeUndefined();
  await attempts.markStarted(key, 'h');
  await attempts.putSpend(key, 'h', { ...spend, usd: 0.1 });
  expect(await attempts.find(key)).toMatchObject({ stage: 'started', spend: { usd: 0.1 }, result: null });
  await attempts.putRan(key, 'h', { exitCode: 0 });
  expect(await attempts.find(key)).toMatchObject({ stage: 'ran', ran: { exitCode: 0 }, spend: { usd: 0.1 } });
  await attempts.putResult(key, 'h', result);
  await attempts.markStarted(key, 'h');
  await attempts.putResult(key, 'h', { ...result, fingerprint: 'another' });
  expect(await attempts.find(key)).toEqual({
    stage: 'finished',
    hostId: 'h',
    ran: { exitCode: 0 },
    result,
    spend,
  });
  expect(await attempts.find({ ...key, attempt: 2 })).toBeUndefined();
});

test('the first verdict under a key stays (3.5)', async () => {
  const verdicts = createVerdictStore(database);
  const key = { runId: 'run_1', step: 'work', pass: 1, round: 1 };
  const verdict = (kind: Verdict['kind']): Verdict => ({
    kind,
    evidence: { summary: kind, durationMs: 1 },
    findings: [],
  });
  expect(await verdicts.put(key, 'tests', verdict('fail'))).toEqual(verdict('fail'));
  expect(await verdicts.put(key, 'tests', verdict('pass'))).toEqual(verdict('fail'));
  await verdicts.put({ ...key, round: 2 }, 'tests', verdict('pass'));
  expect([...(await verdicts.ofRound(key))]).toEqual([['tests', verdict('fail')]]);
});

test('a message counts once by its id, and another one under the same id conflicts (D2)', async () => {
  const messages = createMessageStore(database);
  const cancel = { kind: 'cancel', id: 'm1', reason: 'enough' } as const;
  const stored = { runId: 'run_1', message: cancel, answer: null, seat: null };
  expect(await messages.put('run_1', cancel)).toEqual({ kind: 'stored', stored });
  expect(await messages.put('run_1', cancel)).toEqual({ kind: 'stored', stored });
  expect(await messages.put('run_2', cancel)).toEqual({ kind: 'conflict' });
  expect(await messages.put('run_1', { kind: 'retry', id: 'm1' })).toEqual({ kind: 'conflict' });
  expect(await messages.settle('m1', { kind: 'applied' })).toEqual({ kind: 'applied' });
  expect(await messages.settle('m1', { kind: 'refused', code: 'x', message: 'x' })).toEqual({ kind: 'applied' });
  expect(await messages.put('run_1', cancel)).toMatchObject({ stored: { answer: { kind: 'applied' } } });
});

test('a pending message goes to one of all sweepers, and not before its sender had its time', async () => {
  const messages = createMessageStore(database);
  await messages.put('run_2', { kind: 'retry', id: 'm2' });
  expect(await messages.takePending(10)).toEqual([]);
  await database.query({ text: `update messages set sent_at = now() - interval '1 m'`, values: [] });
  const taken = await Promise.all([messages.takePending(10), messages.takePending(10)]);
  expect(taken.flat().map(({ message }) => message.id)).toEqual(['m2']);
});

test('a host keeps its lease by renewing, and loses it to the next fencing token (decision 15)', async () => {
  const hosts = createHostStore(database);
  const first = await hosts.register({ hostId: 'h', slots: 2, info: { cpus: 2 } });
  expect(await hosts.renew('h', first)).toBe(true);
  expect(await hosts.find('h')).toMatchObject({ alive: true, fencingToken: first, slots: 2, info: { cpus: 2 } });
  const second = await hosts.register({ hostId: 'h', slots: 2, info: {} });
  expect(second).toBe(first + 1);
  expect(await hosts.renew('h', first)).toBe(false);
  await database.query({ text: `update hosts set lease_until = now() - interval '1 s'`, values: [] });
  expect(await hosts.renew('h', second)).toBe(false);
  expect(await hosts.list()).toMatchObject([{ hostId: 'h', alive: false }]);
  const third = await hosts.register({ hostId: 'h', slots: 2, info: {} });
  await hosts.release('h', third);
  expect((await hosts.find('h'))?.alive).toBe(false);
});

test('the first workspace of a run stays (decision 7)', async () => {
  const workspaces = createWorkspaceStore(database);
  expect(await workspaces.find('run_1')).toBeUndefined();
  const base = { commit: 'c', tree: 't', head: 'c' };
  expect(await workspaces.put('run_1', { hostId: 'h', path: '/w', base })).toEqual({ hostId: 'h', path: '/w', base });
  await workspaces.put('run_1', { hostId: 'other', path: '/x', base: null });
  expect(await workspaces.find('run_1')).toEqual({ hostId: 'h', path: '/w', base });
});
