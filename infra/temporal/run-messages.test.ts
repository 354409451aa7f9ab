import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeatInput } from '#core/contract/seat.ts';
import { seatId } from '#core/contract/seat-name.ts';
import type { StoredEvent } from '#core/run/event.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { createMessageStore } from '#infra/postgres/message-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { connectEngine, type Engine } from '#infra/temporal/client.ts';
import { firstSeat } from '#infra/temporal/reseat.ts';
import { type Messaging, sendRunMessage } from '#infra/temporal/run-messages.ts';
import { sweepOnce } from '#infra/temporal/sweeper.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';
import { withTemporal, type TestTemporal } from '../../test/integration/with-temporal.ts';

const logger = new DefaultLogger('ERROR');
Runtime.install({ logger });

let server: TestDatabase;
let temporal: TestTemporal;
let database: Database;
let engine: Engine;
let messaging: Messaging;
let bundle: WorkflowBundleWithSourceMap;
let native: NativeConnection;
let client: Client;
const ending: (() => Promise<void>)[] = [];

beforeAll(async () => {
  [server, temporal] = await Promise.all([withPostgres(), withTemporal()]);
  await migrate(server.url);
  database = openDatabase(server.url);
  engine = connectEngine({ address: temporal.address, namespace: temporal.namespace, queue: temporal.taskQueue });
  messaging = { runs: createRunStore(database), messages: createMessageStore(database), engine };
  bundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../test/fakes/stand-in-run.ts', import.meta.url)),
    logger,
  });
  native = await NativeConnection.connect({ address: temporal.address, grpcCompression: { codec: 'none' } });
  client = new Client({ connection: Connection.lazy({ address: temporal.address }), namespace: temporal.namespace });
  await startWorker(temporal.taskQueue);
});
afterAll(async () => {
  await Promise.all(ending.map((end) => end()));
  await native.close();
  await engine.close();
  await client.connection.close();
  await database.close();
  await server.close();
});

async function startWorker(taskQueue: string): Promise<void> {
  const worker = await Worker.create({
    connection: native,
    namespace: temporal.namespace,
    taskQueue,
    workflowBundle: bundle,
  });
  const running = worker.run();
  ending.push(async () => {
    worker.shutdown();
    await running;
  });
}

async function newRun(): Promise<string> {
  const runId = temporal.unique('run');
  await messaging.runs.start({ runId, bodySha256: 'a', plan: samplePlan(), inputs: { n: '1' } });
  return runId;
}

async function startedRun(on: Engine = engine): Promise<string> {
  const runId = await newRun();
  const run = await messaging.runs.find(runId);
  if (run !== undefined) await on.startSeat(firstSeat(run));
  return runId;
}

const started = (runId: string): StoredEvent => ({ seq: 1, event: { type: 'run.started', at: 1, runId } });

async function recordEnd(runId: string): Promise<void> {
  const stop = { kind: 'failed', reason: 'the work did not pass' } as const;
  await messaging.runs.appendEvents({
    runId,
    seat: 1,
    events: [started(runId), { seq: 2, event: { type: 'run.stopped', at: 2, stop } }],
    summary: { status: 'ended', stop, passes: 1, spendUsd: 0, seq: 2 },
  });
}

async function recordStart(runId: string): Promise<void> {
  const summary = { status: 'running', passes: 1, spendUsd: 0, seq: 1 } as const;
  await messaging.runs.appendEvents({ runId, seat: 1, events: [started(runId)], summary });
}

/** As if the given time had passed for everything that the sweeper looks at. */
async function letTimePass(): Promise<void> {
  const longAgo = `now() - interval '1 h'`;
  await database.query({ text: `update runs set updated_at = ${longAgo}, swept_at = null`, values: [] });
  await database.query({ text: `update messages set sent_at = ${longAgo}`, values: [] });
}

function inputOf(runId: string, seat: number): Promise<SeatInput> {
  return client.workflow.getHandle(seatId(runId, seat)).query<SeatInput>('input');
}

test('a seat is started once, however often it is asked for (decision 7)', async () => {
  const runId = await startedRun();
  const run = await messaging.runs.find(runId);
  expect(run).toBeDefined();
  if (run === undefined) return;
  expect(await Promise.all([engine.startSeat(firstSeat(run)), engine.startSeat(firstSeat(run))])).toEqual([
    'started',
    'started',
  ]);
  expect(await engine.describeSeat(runId, 1)).toBe('running');
  expect(await inputOf(runId, 1)).toEqual({ runId, seat: 1, plan: samplePlan(), inputs: { n: '1' }, priority: 3 });
});

test('a closed seat, a missing one and an engine that is away are told apart', async () => {
  const runId = await startedRun();
  const cancel = { kind: 'cancel', id: temporal.unique('m'), reason: 'enough' } as const;
  expect(await engine.sendMessage(runId, 1, cancel)).toEqual({ kind: 'applied' });
  await client.workflow.getHandle(runId).result();
  expect(await engine.describeSeat(runId, 1)).toBe('closed');
  expect(await engine.sendMessage(runId, 1, { ...cancel, id: temporal.unique('m') })).toEqual({ kind: 'seat_closed' });
  expect(await engine.describeSeat(runId, 2)).toBe('missing');
  expect(await engine.sendMessage(runId, 2, cancel)).toEqual({ kind: 'seat_missing' });
  const away = connectEngine({ address: '127.0.0.1:1', namespace: 'default', answerMs: 1_000 });
  expect(await away.describeSeat(runId, 1)).toBe('unreachable');
  expect(await away.sendMessage(runId, 1, cancel)).toEqual({ kind: 'no_answer' });
  expect(await away.isReachable()).toBe(false);
  await away.close();
  const unset = connectEngine({ address: temporal.address, namespace: 'nowhere' });
  expect(await unset.describeSeat(runId, 1)).toBe('unreachable');
  await unset.close();
});

test('a message is judged by the workflow, and the same id gives the same answer (decision 12, D2)', async () => {
  const runId = await startedRun();
  const retry = { kind: 'retry', id: temporal.unique('m') } as const;
  const refused = { kind: 'refused', code: 'run/not-ended', message: 'It has not ended.' };
  expect(await sendRunMessage(messaging, runId, retry)).toEqual(refused);
  const cancel = { kind: 'cancel', id: temporal.unique('m'), reason: 'enough' } as const;
  expect(await sendRunMessage(messaging, runId, cancel)).toEqual({ kind: 'applied' });
  expect(await sendRunMessage(messaging, runId, cancel)).toEqual({ kind: 'applied' });
  expect(await sendRunMessage(messaging, runId, retry)).toEqual(refused);
  expect(await sendRunMessage(messaging, runId, { ...cancel, reason: 'other' })).toEqual({ kind: 'conflict' });
});

test('a message that no worker answers stays pending, and a sweep sends it again (decision 12)', async () => {
  const queue = temporal.unique('queue');
  const hasty = connectEngine({ address: temporal.address, namespace: temporal.namespace, queue, answerMs: 300 });
  const runId = await startedRun(hasty);
  const cancel = { kind: 'cancel', id: temporal.unique('m'), reason: 'enough' } as const;
  expect(await sendRunMessage({ ...messaging, engine: hasty }, runId, cancel)).toEqual({ kind: 'pending' });
  await hasty.close();
  await startWorker(queue);
  await letTimePass();
  expect((await sweepOnce(messaging)).answered).toContain(cancel.id);
  expect(await sendRunMessage(messaging, runId, cancel)).toEqual({ kind: 'applied' });
});

test('a closed run is retried on its next seat, from its record (decision 13, E8)', async () => {
  const runId = await startedRun();
  await engine.sendMessage(runId, 1, { kind: 'cancel', id: temporal.unique('m'), reason: 'over' });
  await client.workflow.getHandle(runId).result();
  await recordEnd(runId);
  const cancel = { kind: 'cancel', id: temporal.unique('m'), reason: 'again' } as const;
  expect(await sendRunMessage(messaging, runId, cancel)).toMatchObject({ kind: 'refused', code: 'run/ended' });
  const retry = { kind: 'retry', id: temporal.unique('m') } as const;
  expect(await sendRunMessage(messaging, runId, retry)).toEqual({ kind: 'applied' });
  expect(await messaging.runs.find(runId)).toMatchObject({ seat: 2, summary: { status: 'queued', seq: 2 } });
  const input = await inputOf(runId, 2);
  expect(input).toMatchObject({ seat: 2, message: retry, resume: { seq: 2, reason: 'retry', state: { runId } } });
});

test('a retry whose sender died after the claim is started by the sweep, on the claimed seat', async () => {
  const runId = await newRun();
  await recordEnd(runId);
  const retry = { kind: 'retry', id: temporal.unique('m') } as const;
  await messaging.messages.put(runId, retry);
  await messaging.runs.claimNextSeat({ runId, seat: 1, run: 'ended', messageId: retry.id });
  await letTimePass();
  const swept = await sweepOnce(messaging);
  expect(swept.answered).toContain(retry.id);
  expect(await inputOf(runId, 2)).toMatchObject({ message: retry, resume: { seq: 2, reason: 'retry' } });
});

test('a run whose workflow was never started is started by a sweep (3.3)', async () => {
  const runId = await newRun();
  await letTimePass();
  const swept = await Promise.all([sweepOnce(messaging), sweepOnce(messaging)]);
  expect(swept.flatMap(({ seated }) => seated).filter((id) => id === runId)).toHaveLength(1);
  expect(await engine.describeSeat(runId, 1)).toBe('running');
});

test('an open run whose workflow is gone is seated anew from its record, once (decision 13)', async () => {
  const runId = await newRun();
  await recordStart(runId);
  await letTimePass();
  const swept = await Promise.all([sweepOnce(messaging), sweepOnce(messaging)]);
  expect(swept.flatMap(({ seated }) => seated).filter((id) => id === runId)).toHaveLength(1);
  expect((await messaging.runs.find(runId))?.seat).toBe(2);
  expect(await inputOf(runId, 2)).toMatchObject({ seat: 2, resume: { seq: 1, reason: 'lost' } });
  await letTimePass();
  expect((await sweepOnce(messaging)).seated).not.toContain(runId);
});

test('a first seat that was terminated before anything was recorded is followed by the next, begun as new (decision 13)', async () => {
  const runId = await startedRun();
  await client.workflow.getHandle(seatId(runId, 1)).terminate('by an operator');
  await letTimePass();
  const swept = await Promise.all([sweepOnce(messaging), sweepOnce(messaging)]);
  expect(swept.flatMap(({ seated }) => seated).filter((id) => id === runId)).toHaveLength(1);
  expect((await messaging.runs.find(runId))?.seat).toBe(2);
  expect(await engine.describeSeat(runId, 2)).toBe('running');
  expect(await inputOf(runId, 2)).toEqual({ runId, seat: 2, plan: samplePlan(), inputs: { n: '1' }, priority: 3 });
});

test('a message to a first seat that was terminated unrecorded is answered by the next', async () => {
  const runId = await startedRun();
  await client.workflow.getHandle(seatId(runId, 1)).terminate('by an operator');
  const cancel = { kind: 'cancel', id: temporal.unique('m'), reason: 'enough' } as const;
  expect(await sendRunMessage(messaging, runId, cancel)).toEqual({ kind: 'pending' });
  expect((await messaging.runs.find(runId))?.seat).toBe(2);
  await letTimePass();
  expect((await sweepOnce(messaging)).answered).toContain(cancel.id);
});

test('a message to an open run whose workflow is gone seats it anew and stays pending', async () => {
  const runId = await newRun();
  await recordStart(runId);
  const cancel = { kind: 'cancel', id: temporal.unique('m'), reason: 'enough' } as const;
  expect(await sendRunMessage(messaging, runId, cancel)).toEqual({ kind: 'pending' });
  await letTimePass();
  expect((await sweepOnce(messaging)).answered).toContain(cancel.id);
});

test('while the engine is away a sweep touches nothing', async () => {
  const runId = await newRun();
  await recordStart(runId);
  await letTimePass();
  const away = connectEngine({ address: '127.0.0.1:1', namespace: 'default' });
  expect(await sweepOnce({ ...messaging, engine: away })).toEqual({ seated: [], answered: [], orphaned: [] });
  expect((await messaging.runs.find(runId))?.seat).toBe(1);
  await away.close();
});

test('S-01: a child that its parent left behind as it died is cancelled; one that was taken up again after its end is not', async () => {
  const parentId = await newRun();
  await endedInDatabase(parentId);
  const [lost, again] = [await newChild(parentId), await newChild(parentId)];
  await tellEnd(parentId, again);
  const { orphaned } = await sweepOnce(messaging);
  expect(orphaned.filter((id) => id === lost || id === again)).toEqual([lost]);
});

async function newChild(parentId: string): Promise<string> {
  const runId = await newRun();
  const parent = { runId: parentId, step: 'call', pass: 1, index: 0 };
  await database.query({
    text: 'update runs set parent = $2 where run_id = $1',
    values: [runId, JSON.stringify(parent)],
  });
  return runId;
}

async function endedInDatabase(runId: string): Promise<void> {
  await database.query({ text: `update runs set status = 'ended' where run_id = $1`, values: [runId] });
}

/** The word of a child's end, as its recording stores it. */
async function tellEnd(parentId: string, childId: string): Promise<void> {
  const id = temporal.unique('child');
  const body = JSON.stringify({ kind: 'childSettled', id, runId: childId });
  await database.query({
    text: `insert into messages (id, run_id, kind, body, status) values ($1, $2, 'childSettled', $3, 'refused')`,
    values: [id, parentId, body],
  });
}
