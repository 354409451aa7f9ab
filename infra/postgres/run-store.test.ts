import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary } from '#core/run/summary.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore, type NewRun, type RunStore } from '#infra/postgres/run-store.ts';
import { sampleEvents, samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;
let runs: RunStore;
let count = 0;

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

function newRun(changes: Partial<NewRun> = {}): NewRun {
  count += 1;
  const runId = `run_${String(count).padStart(4, '0')}`;
  return { runId, bodySha256: 'a', plan: samplePlan(), inputs: { issue: '7' }, ...changes };
}

function summary(seq: number, changes: Partial<RunSummary> = {}): RunSummary {
  return { status: 'running', passes: 1, spendUsd: 0, seq, ...changes };
}

test('migrating twice, and by several processes at once, does the work once', async () => {
  const other = await withPostgres();
  await Promise.all([migrate(other.url), migrate(other.url), migrate(other.url)]);
  await migrate(other.url);
  const empty = openDatabase(other.url);
  const files = await readdir(join(import.meta.dirname, 'migrations'));
  expect((await empty.query({ text: 'select * from migrations', values: [] })).count).toBe(files.length);
  await empty.close();
  await other.close();
});

test('a run is stored whole, and read back as it was given (3.3)', async () => {
  const started = await runs.start(newRun({ plan: samplePlan({ labels: ['x'], project: 'web' }) }));
  expect(started.kind).toBe('created');
  if (started.kind === 'conflict') return;
  const found = await runs.find(started.run.runId);
  expect(found).toEqual(started.run);
  expect(found).toMatchObject({
    project: 'web',
    labels: ['x'],
    inputs: { issue: '7' },
    seat: 1,
    summary: { status: 'queued', seq: 0 },
  });
  expect(found?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(await runs.find('run_nowhere')).toBeUndefined();
});

test('the same key in the same project starts one run, however many calls race (K26, E5)', async () => {
  const calls = Array.from({ length: 5 }, () => runs.start(newRun({ idempotencyKey: 'k' })));
  const started = await Promise.all(calls);
  expect(started.map(({ kind }) => kind).sort()).toEqual(['created', 'same', 'same', 'same', 'same']);
  expect(new Set(started.map((s) => (s.kind === 'conflict' ? s.runId : s.run.runId))).size).toBe(1);
});

test('the same key with another body is a conflict, and in another project another run', async () => {
  const first = await runs.start(newRun({ idempotencyKey: 'c' }));
  expect(await runs.start(newRun({ idempotencyKey: 'c', bodySha256: 'b' }))).toEqual({
    kind: 'conflict',
    runId: first.kind === 'conflict' ? '' : first.run.runId,
  });
  expect(await runs.start(newRun({ idempotencyKey: 'c', plan: samplePlan({ project: 'other' }) }))).toMatchObject({
    kind: 'created',
  });
});

test('events are recorded once, with the summary, however often a batch comes (decision 4, E9)', async () => {
  const run = newRun();
  await runs.start(run);
  const batch = { runId: run.runId, seat: 1, events: sampleEvents(1, 3), summary: summary(3) };
  expect(await runs.appendEvents(batch)).toBe('recorded');
  expect(await runs.appendEvents(batch)).toBe('recorded');
  const overlapping = { ...batch, events: sampleEvents(2, 4), summary: summary(5) };
  expect(await runs.appendEvents(overlapping)).toBe('recorded');
  expect((await runs.eventsAfter(run.runId, 0)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect((await runs.eventsAfter(run.runId, 2, 2)).map(({ seq }) => seq)).toEqual([3, 4]);
  expect(await runs.eventsAfter(run.runId, 0)).toEqual(sampleEvents(1, 5));
});

test('a batch that lands late does not set the summary back', async () => {
  const run = newRun();
  await runs.start(run);
  const record = (seq: number) =>
    runs.appendEvents({ runId: run.runId, seat: 1, events: sampleEvents(1, seq), summary: summary(seq) });
  await record(4);
  await record(2);
  expect((await runs.find(run.runId))?.summary.seq).toBe(4);
});

test('a seat that lost the run records nothing more (decision 13)', async () => {
  const run = newRun();
  await runs.start(run);
  expect(await runs.claimNextSeat({ runId: run.runId, seat: 1, run: 'open' })).toBe(2);
  const late = { runId: run.runId, seat: 1, events: sampleEvents(1, 1), summary: summary(1) };
  expect(await runs.appendEvents(late)).toBe('superseded');
  expect(await runs.eventsAfter(run.runId, 0)).toEqual([]);
  expect(await runs.appendEvents({ ...late, seat: 2 })).toBe('recorded');
  expect(await runs.appendEvents({ ...late, runId: 'run_nowhere' })).toBe('superseded');
});

test('T-24: the next seat goes to one of all who claim it, and only in the condition they saw', async () => {
  const run = newRun();
  await runs.start(run);
  expect(await runs.claimNextSeat({ runId: run.runId, seat: 1, run: 'ended' })).toBeUndefined();
  const claims = await Promise.all([1, 2, 3].map(() => runs.claimNextSeat({ runId: run.runId, seat: 1, run: 'open' })));
  expect(claims.filter((seat) => seat !== undefined)).toEqual([2]);
});

test('lists go by cursor, newest first, and every filter that is given holds', async () => {
  const project = 'listed';
  const ids: string[] = [];
  for (const label of ['a', 'b', 'a']) {
    const run = newRun({ plan: samplePlan({ project, labels: [label], name: `Mend ${label}` }) });
    await runs.start(run);
    ids.unshift(run.runId);
  }
  const first = await runs.list({ filter: { project }, limit: 2 });
  expect(first.map(({ runId }) => runId)).toEqual(ids.slice(0, 2));
  const rest = await runs.list({ filter: { project }, limit: 2, before: ids[1] ?? '' });
  expect(rest.map(({ runId }) => runId)).toEqual(ids.slice(2));
  expect(await runs.list({ filter: { project, label: 'a' }, limit: 9 })).toHaveLength(2);
  expect(await runs.list({ filter: { project, text: 'mend B' }, limit: 9 })).toHaveLength(1);
  expect(await runs.list({ filter: { project, text: ids[0] ?? '' }, limit: 9 })).toHaveLength(1);
  expect(await runs.list({ filter: { project, status: 'ended' }, limit: 9 })).toEqual([]);
  const stop = { kind: 'exhausted', reason: 'no passes left' } as const;
  const ended = {
    runId: ids[0] ?? '',
    seat: 1,
    events: sampleEvents(1, 1),
    summary: summary(1, { status: 'ended', stop }),
  };
  await runs.appendEvents(ended);
  for (const status of ['ended', 'exhausted']) {
    expect(await runs.list({ filter: { project, status }, limit: 9 })).toHaveLength(1);
  }
});

test('a run of which nothing was recorded for a while goes to one sweeper', async () => {
  const run = newRun();
  await runs.start(run);
  const fresh = await runs.takeQuiet(1000);
  expect(fresh.map(({ runId }) => runId)).not.toContain(run.runId);
  await database.query({ text: `update runs set updated_at = now() - interval '1 m'`, values: [] });
  const taken = await Promise.all([runs.takeQuiet(1000), runs.takeQuiet(1000)]);
  expect(taken.flat().filter(({ runId }) => runId === run.runId)).toHaveLength(1);
});

test('a database that cannot be reached is the fault store/unavailable', async () => {
  const nowhere = openDatabase('postgres://setpoint:x@127.0.0.1:1/setpoint');
  await expect(createRunStore(nowhere).find('run_1')).rejects.toMatchObject({ code: 'store/unavailable' });
  await expect(migrate('postgres://setpoint:x@127.0.0.1:1/setpoint')).rejects.toMatchObject({
    code: 'store/unavailable',
  });
  await nowhere.close();
});

test('a statement that takes too long is given up as store/unavailable', async () => {
  const hasty = openDatabase(server.url, { statementTimeoutMs: 50 });
  await expect(hasty.query({ text: 'select pg_sleep(5)', values: [] })).rejects.toMatchObject({
    code: 'store/unavailable',
  });
  await hasty.close();
});
