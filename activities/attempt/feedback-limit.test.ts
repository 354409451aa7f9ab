import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderedPrompt } from '#activities/attempt/render.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { HostRun, repositoryOf } from '../../test/fakes/host-run.ts';
import { plan, scriptedAgent, step } from '../../test/fakes/plans.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { type TestDatabase, withPostgres } from '../../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;
let host: HostDeps;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-limit-')));
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  host = withHost({ folder, database, hostId: 'one' });
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const long = 'seq 1 20000; exit 1';

test.each([
  ['less than the default', 500],
  ['more than the default', 60_000],
])('T-08: the plan’s own limit holds for what an attempt and a check found: %s', async (_what, feedbackChars) => {
  const repo = repositoryOf(join(folder, `repo-${feedbackChars}`));
  const workspace = { ...plan([step('work')]).workspace, repo };
  const run = await HostRun.open(host, database, { runId: `run_${feedbackChars}`, change: { workspace } });
  const scope = { ...run.scope, feedbackChars };
  const failed = await run.attempt({ work: { kind: 'run', command: long } }, { scope });
  const verdict = await run.check(long, { scope });
  for (const found of [failed.feedback, verdict?.evidence.feedback]) {
    expect(found?.bytes).toBeLessThanOrEqual(feedbackChars);
    expect(found?.bytes).toBeGreaterThan(feedbackChars * 0.8);
  }
  const text = failed.feedback;
  if (text === undefined) throw new TypeError('it tells nothing');
  const entry: FeedbackEntry = {
    step: 'work',
    pass: 1,
    verdict: 'fail',
    summary: 'exit 1',
    text,
    stale: false,
    baseline: false,
  };
  const input = { step: step('work', { work: scriptedAgent(['true']) }), scope: { ...scope, feedback: [entry] } };
  const brief = { pass: 2, passLimit: 3, checks: [] };
  const prompt = await renderedPrompt(host, { ...input, brief }, join(folder, 'feedback'));
  expect(prompt.length).toBeGreaterThan(feedbackChars * 0.8);
  expect(prompt.length).toBeLessThan(feedbackChars + 1000);
});
