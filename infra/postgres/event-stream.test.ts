import { expect, test } from 'vitest';
import { openDatabase } from '#infra/postgres/database.ts';
import { openEventStream } from '#infra/postgres/event-stream.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { sampleEvents, samplePlan } from '../../test/fakes/sample-plan.ts';
import { withPostgres } from '../../test/integration/with-postgres.ts';

test('a subscriber is woken by events of its run, and again after the connection was cut (3.6)', async () => {
  const server = await withPostgres();
  await migrate(server.url);
  const database = openDatabase(server.url);
  const runs = createRunStore(database);
  for (const runId of ['run_1', 'run_2']) await runs.start({ runId, bodySha256: 'a', plan: samplePlan(), inputs: {} });
  const record = (runId: string, seq: number) =>
    runs.appendEvents({
      runId,
      seat: 1,
      events: sampleEvents(seq, 1),
      summary: { status: 'running', passes: 1, spendUsd: 0, seq },
    });

  const stream = openEventStream(server.url);
  let wakes = 0;
  let onWake = (): void => undefined;
  const nextWake = (): Promise<void> => new Promise((resolve) => (onWake = resolve));
  const connected = nextWake();
  const unsubscribe = stream.subscribe('run_1', () => {
    wakes += 1;
    onWake();
  });
  await connected;

  const woken = nextWake();
  await record('run_2', 1);
  await record('run_1', 1);
  await woken;
  expect(wakes).toBe(2);

  const afterCut = nextWake();
  await database.query({
    text: `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen run_events'
      and datname = current_database()`,
    values: [],
  });
  await afterCut;
  const again = nextWake();
  await record('run_1', 2);
  await again;

  unsubscribe();
  await stream.close();
  await database.close();
  await server.close();
});
