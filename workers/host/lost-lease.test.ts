import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CheckPlan } from '#core/check/check-plan.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { judge } from '#activities/judge/judge.ts';
import { asTask } from '#activities/task.ts';
import { createLogger } from '#infra/log.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { markedPids } from '#infra/process/process-table.ts';
import { runContained } from '#infra/process/run-contained.ts';
import { noSandbox } from '#infra/sandbox/sandbox.ts';
import { endOnLoss } from '#workers/host/lost-lease.ts';
import { asEngineTask } from '../../test/fakes/engine-task.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

const log = createLogger('test', 'silent');
const runId = 'run_lost';
let folder = '';
let server: TestDatabase;
let database: Database;
let deps: HostDeps;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-lost-')));
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  await createRunStore(database).start({ runId, bodySha256: 'a', plan: samplePlan(), inputs: {} });
  deps = withHost({ folder, database, hostId: 'h' });
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function judging(command: string): JudgeInput {
  const check: CheckPlan = {
    kind: 'command',
    name: 'tests',
    command,
    needs: 'always',
    timeSeconds: 60,
    expectExit: 0,
    where: 'workspace',
  };
  return {
    runId,
    step: 'work',
    pass: 1,
    round: 1,
    checks: [check],
    restore: false,
    guard: false,
    workspace: { plan: samplePlan().workspace, path: folder },
    scope: { inputs: {}, outputs: {}, feedback: [], iteration: 0, run: { id: runId, name: 'lost' } },
    env: {},
  };
}

async function untilRunning(containmentId: string): Promise<void> {
  while (markedPids(containmentId).length === 0) await setImmediate();
}

test('decision 15: a lost lease is no verdict: a running check ends as a stopping host, and nothing of it lives', async () => {
  const input = judging('sleep 600');
  const judged = asEngineTask(1, () => judge(deps, input));
  const outcome = judged.catch((error: unknown) => error);
  await untilRunning(`${runId}/work#1.judge1`);
  await endOnLoss(deps.tenure, log);
  expect(await outcome).toMatchObject({ type: 'host/stopping', nonRetryable: false });
  expect(markedPids(`${runId}/work#1.judge1`)).toEqual([]);
  expect([...(await deps.verdicts.ofRound(input))]).toEqual([]);
});

test('what comes after the loss is judged as ever', async () => {
  const judged = await asEngineTask(1, () => judge(deps, judging('exit 3')));
  expect(judged).toMatchObject({ verdicts: [{ check: 'tests', verdict: { kind: 'fail' } }] });
});

test('a task that does not heed is killed with all that it runs, and counts as stopped all the same', async () => {
  const id = 'run_lost/deaf#1.1';
  const told = new EventTarget();
  const task = asEngineTask(1, () =>
    asTask(deps, id, async () => {
      await runContained(
        {
          argv: ['sleep', '600'],
          cwd: folder,
          env: { PATH: deps.environment['PATH'] ?? '' },
          workspace: { path: folder, access: 'write' },
          writable: [],
          timeoutSeconds: 600,
          containmentId: id,
          onOutput: () => undefined,
        },
        { sandbox: noSandbox, signal: new AbortController().signal },
      );
      told.dispatchEvent(new Event('ended'));
      throw new TypeError('what a task says that was killed');
    }),
  );
  const outcome = task.catch((error: unknown) => error);
  const ended = once(told, 'ended');
  await untilRunning(id);
  await endOnLoss(deps.tenure, log, 50);
  await ended;
  expect(await outcome).toMatchObject({ type: 'host/stopping' });
  expect(markedPids(id)).toEqual([]);
});
