import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Verdict } from '#core/check/verdict.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { type Backlog, openBacklog } from '#infra/backlog/backlog.ts';
import { backloggedAttempts, backloggedVerdicts, storeInto } from '#infra/backlog/backlogged-stores.ts';
import { createLogger } from '#infra/log.ts';
import { createAttemptStore } from '#infra/postgres/attempt-store.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createVerdictStore } from '#infra/postgres/verdict-store.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;
let folder: string;
let closed: Database;
let isAway: boolean;
let queries = 0;
let runs = 0;
let runId: string;

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  closed = openDatabase(server.url);
  await closed.close();
});
beforeEach(async () => {
  queries = 0;
  folder = mkdtempSync(join(tmpdir(), 'setpoint-backlog-'));
  isAway = false;
  runId = `run_${++runs}`;
  await createRunStore(database).start({ runId, bodySha256: runId, plan: samplePlan(), inputs: {} });
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(async () => {
  await database.close();
  await server.close();
});

/** A host's stores over a database that can be away. */
function host() {
  const asked: Database = {
    ...database,
    query(statement) {
      queries += 1;
      return (isAway ? closed : database).query(statement);
    },
  };
  const stores = { attempts: createAttemptStore(asked), verdicts: createVerdictStore(asked) };
  const backlog = openBacklog(folder, storeInto(stores), createLogger('host', 'silent'));
  const attempts = backloggedAttempts(stores.attempts, backlog);
  return { backlog, attempts, verdicts: backloggedVerdicts(stores.verdicts, backlog) };
}

const key = (pass = 1) => ({ runId, step: 'work', pass, attempt: 1 });
const unstorable = () => ({ ...key(), step: 'a\0b' });
const round = () => ({ runId, step: 'work', pass: 1, round: 1 });
const stored = (pass = 1) => createAttemptStore(database).find(key(pass));
const output = { sha256: 'a', bytes: 1, excerpt: 'x' };
const spend = { estimated: false, inputTokens: 1, outputTokens: 1 };
const result: AttemptResult = { end: { kind: 'ok' }, output, spend, fingerprint: 'f', durationMs: 1, findings: [] };
const verdict = (kind: 'pass' | 'fail'): Verdict => {
  return { kind, evidence: { summary: kind, durationMs: 1 }, findings: [] };
};

test('decision 50: while the database is away nothing waits for it, and all is found; then it is stored in order', async () => {
  const { backlog, attempts, verdicts } = host();
  isAway = true;
  await attempts.putRan(key(), 'one', { exitCode: 0 });
  expect(await attempts.find(key())).toMatchObject({ stage: 'ran', hostId: 'one', ran: { exitCode: 0 } });
  await attempts.putResult(key(), 'one', result);
  expect(await attempts.find(key())).toMatchObject({ stage: 'finished', result });
  expect(await verdicts.put(round(), 'tests', verdict('fail'))).toEqual(verdict('fail'));
  // The first one stays, as in the database.
  expect(await verdicts.put(round(), 'tests', verdict('pass'))).toEqual(verdict('fail'));
  // Only the first write asked: those behind it wait for no time-out of a database that is known to be away.
  expect(queries).toBe(1);
  expect(await stored()).toBeUndefined();
  isAway = false;
  await backlog.drain();
  expect(backlog.waiting()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  expect(await stored()).toMatchObject({ stage: 'finished', ran: { exitCode: 0 }, result, spend });
  expect([...(await createVerdictStore(database).ofRound(round())).values()]).toEqual([verdict('fail')]);
});

test('decision 50, E5: what a killed host had kept is stored by its successor', async () => {
  isAway = true;
  await host().attempts.putResult(key(), 'one', result);
  const successor = host();
  await expect(successor.backlog.drain()).rejects.toMatchObject({ code: 'store/unavailable' });
  expect(await successor.attempts.find(key())).toMatchObject({ stage: 'finished' });
  isAway = false;
  await successor.backlog.drain();
  expect(await stored()).toMatchObject({ stage: 'finished', hostId: 'one', result });
});

test('decision 50: verdicts that fell before and while the database was away are found together', async () => {
  const { verdicts } = host();
  await verdicts.put(round(), 'lint', verdict('pass'));
  isAway = true;
  await verdicts.put(round(), 'tests', verdict('fail'));
  await expect(verdicts.ofRound(round())).rejects.toMatchObject({ code: 'store/unavailable' });
  isAway = false;
  expect(Object.fromEntries(await verdicts.ofRound(round()))).toEqual({
    lint: verdict('pass'),
    tests: verdict('fail'),
  });
  expect(await verdicts.ofCheck(round(), 'tests')).toEqual([{ pass: 1, verdict: verdict('fail') }]);
});

test('decision 50: it drains by itself once the database is back', async () => {
  const { backlog, attempts } = host();
  const ending = new AbortController();
  const kept = backlog.keep(ending.signal);
  isAway = true;
  await attempts.putResult(key(), 'one', result);
  isAway = false;
  await backlogEmpty(backlog);
  ending.abort();
  await kept;
  expect(await stored()).toMatchObject({ result });
});

test('decision 50: what the database refuses, and half a file, hold up nothing and are put aside', async () => {
  writeFileSync(join(folder, '000000000007.json'), '{"kind":"res');
  const { backlog, attempts } = host();
  isAway = true;
  await attempts.putResult(unstorable(), 'one', result);
  await attempts.putResult(key(2), 'one', result);
  isAway = false;
  await backlog.drain();
  expect(await stored(2)).toMatchObject({ result });
  expect(readdirSync(folder).toSorted()).toEqual(['000000000007.refused', '000000000008.refused']);
  // A number that was put aside is not given again.
  isAway = true;
  await host().attempts.putResult(key(3), 'one', result);
  expect(readdirSync(folder)).toContain('000000000009.json');
});

test('another trouble than its absence is told at once', async () => {
  const { backlog, attempts } = host();
  await expect(attempts.putResult(unstorable(), 'one', result)).rejects.toThrow(/invalid byte sequence/);
  expect(backlog.waiting()).toEqual([]);
});

async function backlogEmpty(backlog: Backlog): Promise<void> {
  while (backlog.waiting().length > 0) await backlog.drain().catch(() => undefined);
}
