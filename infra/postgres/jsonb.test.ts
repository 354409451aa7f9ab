import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Verdict } from '#core/check/verdict.ts';
import { createAttemptStore } from '#infra/postgres/attempt-store.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createVerdictStore } from '#infra/postgres/verdict-store.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;
const runId = 'run_ill';

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  await createRunStore(database).start({ runId, bodySha256: 'a', plan: samplePlan(), inputs: { note: ill } });
});
afterAll(async () => {
  await database.close();
  await server.close();
});

/** Half a pair at the end and at the start, NUL, and what only looks like them. */
const ill = 'a\uD83D b\uDE00 c\0 \\u0000 \\\0 \u001B 😀 "q"';
const stored = 'a\uFFFD b\uFFFD c\u2400 \\u0000 \\\u2400 \u001B 😀 "q"';

test('text that Postgres refuses is replaced, and all else stays as it is', () => {
  expect(JSON.parse(jsonb({ [ill]: [ill, 1, null] }) ?? '')).toEqual({ [stored]: [stored, 1, null] });
  expect(jsonb({ plain: 'é 😀' })).toBe('{"plain":"é 😀"}');
  expect([jsonb(undefined), jsonb(null), jsonb(false)]).toEqual([null, null, 'false']);
});

test('3.3 an event with half a surrogate pair and a NUL is recorded, and so are the inputs of the run', async () => {
  const runs = createRunStore(database);
  const stop = { kind: 'failed', reason: ill } as const;
  const recorded = await runs.appendEvents({
    runId,
    seat: 1,
    events: [{ seq: 1, event: { type: 'run.stopped', at: 1, stop } }],
    summary: { status: 'ended', stop, passes: 1, spendUsd: 0, seq: 1 },
  });
  expect(recorded).toBe('recorded');
  const event = { type: 'run.stopped', at: 1, stop: { ...stop, reason: stored } };
  expect(await runs.eventsAfter(runId, 0)).toEqual([{ seq: 1, event }]);
  expect(await runs.find(runId)).toMatchObject({ inputs: { note: stored }, summary: { stop: { reason: stored } } });
});

test('decision 4: a result and a verdict with half a surrogate pair and a NUL are stored', async () => {
  const attempts = createAttemptStore(database);
  const key = { runId, step: 'work', pass: 1, attempt: 1 };
  await attempts.putRan(key, 'h', { said: ill });
  await attempts.putResult(key, 'h', {
    end: { kind: 'ok' },
    output: { sha256: 'x', bytes: 1, excerpt: ill },
    fingerprint: 'f',
    spend: { usd: 0, estimated: false, inputTokens: 0, outputTokens: 0 },
    findings: [],
    durationMs: 1,
  });
  expect(await attempts.find(key)).toMatchObject({ ran: { said: stored }, result: { output: { excerpt: stored } } });
  const verdict: Verdict = { kind: 'fail', evidence: { summary: ill, durationMs: 1 }, findings: [] };
  const put = await createVerdictStore(database).put({ runId, step: 'work', pass: 1, round: 1 }, 'tests', verdict);
  expect(put.evidence.summary).toBe(stored);
});
