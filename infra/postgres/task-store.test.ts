import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunEvent } from '#core/run/event.ts';
import { decisionsOf, whoNow } from '#core/task/task-record.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore, type RunStore } from '#infra/postgres/run-store.ts';
import { createTaskStore, type TaskStore } from '#infra/postgres/task-store.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;
let runs: RunStore;
let tasks: TaskStore;

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  runs = createRunStore(database);
  tasks = createTaskStore(database);
});
beforeEach(async () => {
  await database.query({ text: 'truncate runs cascade', values: [] });
});
afterAll(async () => {
  await database.close();
  await server.close();
});

const newRun = (runId: string, createdBy = 'eve', project = 'default') =>
  runs.start({ runId, bodySha256: runId, plan: samplePlan({ project }), inputs: {}, createdBy });

/** Events of one run, numbered from `from` on. */
const record = (runId: string, from: number, ...events: RunEvent[]) =>
  runs.appendEvents({
    runId,
    seat: 1,
    events: events.map((event, index) => ({ seq: from + index, event })),
    summary: { status: 'waiting', passes: 1, spendUsd: 0, seq: from + events.length - 1 },
  });

interface Policy {
  who?: string[];
  notAuthor?: boolean;
  text?: string;
}

const idOf = (runId: string) => `task_${runId}.agree`;
const on = (runId: string, revision: number, at: number) => {
  return { at, step: 'agree', pass: revision, task: idOf(runId), revision };
};
const opened = (
  runId: string,
  revision = 1,
  { who = [], notAuthor = false, text = 'Fine?' }: Policy = {},
): RunEvent => ({
  type: 'task.opened',
  ...on(runId, revision, revision * 1_000),
  ask: { text },
  shown: [],
  who,
  quorum: 2,
  notAuthor,
  backTo: [],
});
const decided = (runId: string, by: string, final: boolean, revision = 1): RunEvent => ({
  type: 'task.decided',
  ...on(runId, revision, 5_000),
  messageId: `${by}-${String(revision)}`,
  final,
  decision: { kind: 'approve', by, comment: '', text: { sha256: 'x', bytes: 0, excerpt: '' }, digest: 'd' },
});

async function found(runId: string) {
  const row = await tasks.find(idOf(runId));
  if (row === undefined) return undefined;
  const { record: body, revision, state } = row;
  return { revision, state, by: decisionsOf(body).map(({ decision }) => decision.by), reminders: body.reminders };
}

test('decision 9: a task is written with its events, and read with its run', async () => {
  await newRun('run_1');
  await record('run_1', 1, { type: 'run.started', at: 1, runId: 'run_1' }, opened('run_1'));
  expect(await tasks.find(idOf('run_1'))).toMatchObject({
    taskId: idOf('run_1'),
    runId: 'run_1',
    runName: 'Green tests',
    runStatus: 'waiting',
    createdBy: 'eve',
    project: 'default',
    step: 'agree',
    revision: 1,
    state: 'open',
    openedAt: '1970-01-01T00:00:01.000Z',
  });
  expect(await tasks.find('task_none')).toBeUndefined();
});

test('decision 9: a batch again, in part or late, changes nothing, and nothing is set back', async () => {
  await newRun('run_1');
  const events: RunEvent[] = [
    opened('run_1'),
    { type: 'task.reminded', ...on('run_1', 1, 2_000), count: 1 },
    decided('run_1', 'ada', false),
    { type: 'task.escalated', ...on('run_1', 1, 3_000), to: ['bob'] },
    { type: 'task.reminded', ...on('run_1', 1, 4_000), count: 2 },
    decided('run_1', 'bob', true),
  ];
  const after = { revision: 1, state: 'decided', by: ['ada', 'bob'], reminders: 2 };
  await record('run_1', 1, ...events.slice(0, 2));
  await record('run_1', 2, ...events.slice(1, 4));
  expect(await found('run_1')).toEqual({ revision: 1, state: 'open', by: ['ada'], reminders: 1 });
  await record('run_1', 1, ...events);
  expect(await found('run_1')).toEqual(after);
  for (let from = 1; from <= events.length; from += 1) await record('run_1', from, ...events.slice(from - 1, from + 1));
  expect(await found('run_1')).toEqual(after);
  await record('run_1', 7, opened('run_1', 2));
  await record('run_1', 1, ...events);
  expect(await found('run_1')).toEqual({ revision: 2, state: 'open', by: [], reminders: 0 });
});

test('a seat that lost its run changes no task, and no run the task of another', async () => {
  await newRun('run_1');
  await newRun('run_2');
  await record('run_1', 1, opened('run_1'));
  const batch = { runId: 'run_1', events: [{ seq: 2, event: decided('run_1', 'ada', true) }] };
  const summary = { status: 'running' as const, passes: 1, spendUsd: 0, seq: 2 };
  expect(await runs.appendEvents({ ...batch, seat: 2, summary })).toBe('superseded');
  await record('run_2', 1, decided('run_1', 'ada', true), opened('run_1', 2));
  expect(await found('run_1')).toEqual({ revision: 1, state: 'open', by: [], reminders: 0 });
});

const ids = async (filter: Parameters<TaskStore['list']>[0]['filter']) =>
  (await tasks.list({ filter, limit: 100 })).map(({ runId }) => runId);

test('tasks are listed by state, project, run and the beginning of the id, by cursor', async () => {
  for (const [runId, project] of [
    ['run_1', 'web'],
    ['run_2', 'web'],
    ['run_3', 'ops'],
  ] as const) {
    await newRun(runId, 'eve', project);
    await record(runId, 1, opened(runId));
  }
  await record('run_2', 2, decided('run_2', 'ada', true));
  expect(await ids({})).toEqual(['run_1', 'run_2', 'run_3']);
  expect(await ids({ state: 'open' })).toEqual(['run_1', 'run_3']);
  expect(await ids({ state: 'decided', project: 'web' })).toEqual(['run_2']);
  expect(await ids({ project: 'ops' })).toEqual(['run_3']);
  expect(await ids({ runId: 'run_2' })).toEqual(['run_2']);
  expect(await ids({ beginning: 'task_run_3' })).toEqual(['run_3']);
  const page = await tasks.list({ filter: {}, limit: 1, after: idOf('run_1') });
  expect(page.map(({ runId }) => runId)).toEqual(['run_2']);
});

test('D5: mine are the open ones that a person may decide and has not answered', async () => {
  const policies: Record<string, Policy & { by?: string }> = {
    run_everyone: {},
    run_named: { who: ['ada'] },
    run_team: { who: ['team:web'] },
    run_others: { who: ['bob', 'team:ops', 'web'] },
    run_hers: { notAuthor: true, by: 'ada' },
    run_anothers: { notAuthor: true, by: 'bob' },
    run_answered: {},
    run_escalated: { who: ['bob'] },
    run_decided: {},
  };
  for (const [runId, { by = 'eve', ...policy }] of Object.entries(policies)) {
    await newRun(runId, by);
    await record(runId, 1, opened(runId, 1, policy));
  }
  await record('run_answered', 2, decided('run_answered', 'ada', false));
  await record('run_escalated', 2, { type: 'task.escalated', ...on('run_escalated', 1, 9), to: ['team:web'] });
  await record('run_decided', 2, decided('run_decided', 'bob', true));
  const ada = { name: 'ada', teams: ['web'], admin: false };
  expect(await ids({ for: ada })).toEqual(['run_anothers', 'run_escalated', 'run_everyone', 'run_named', 'run_team']);
  const owner = { name: 'owner', teams: 'all' as const, admin: true };
  expect(await ids({ for: owner })).toEqual(
    Object.keys(policies)
      .filter((id) => id !== 'run_decided')
      .toSorted(),
  );
  const escalated = await tasks.find(idOf('run_escalated'));
  expect(escalated === undefined ? [] : whoNow(escalated.record)).toEqual(['bob', 'team:web']);
});

test('of 10,000 open tasks a page comes quickly, also the last one of somebody who may decide few', async () => {
  await newRun('run_1');
  await record('run_1', 1, opened('run_1', 1, { who: ['bob'], text: 'a long question '.repeat(200) }));
  await database.query({
    text: `insert into runs (run_id, project, body_sha256, name, labels, plan, inputs, status, summary, created_by)
      select 'run_b' || n, project, body_sha256, name, labels, plan, inputs, status, summary, created_by
      from runs, generate_series(1, 10000) n`,
    values: [],
  });
  await database.query({
    text: `insert into tasks (task_id, run_id, project, step, revision, state, body, opened_at, updated_at)
      select 'task_b' || lpad(n::text, 5, '0'), 'run_b' || n, project, step, revision, state,
        case when n = 10000 then jsonb_set(body, '{question,who}', '["ada"]') else body end, opened_at, updated_at
      from tasks, generate_series(1, 10000) n`,
    values: [],
  });
  await database.query({ text: 'analyze', values: [] });
  const timed = async (filter: Parameters<TaskStore['list']>[0]['filter']) => {
    const started = performance.now();
    const page = await tasks.list({ filter, limit: 50 });
    return { ms: performance.now() - started, count: page.length };
  };
  const first = await timed({ state: 'open' });
  const hers = await timed({ state: 'open', for: { name: 'ada', teams: [], admin: false } });
  expect([first.count, hers.count]).toEqual([50, 1]);
  expect(first.ms).toBeLessThan(200);
  expect(hers.ms).toBeLessThan(1_000);
});
