import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EvaluateInput, JudgeInput } from '#core/contract/activities.ts';
import { evaluate } from '#activities/evaluate.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { judge } from '#activities/judge/judge.ts';
import { asTask } from '#activities/task.ts';
import { openWorkspace } from '#activities/workspace/open-workspace.ts';
import { setBack } from '#activities/workspace/set-back.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { asEngineTask } from '../../test/fakes/engine-task.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;
let deps: HostDeps;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-back-')));
  const repo = join(folder, 'repo');
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  writeFileSync(join(repo, 'file'), 'base');
  writeFileSync(join(repo, '.gitignore'), 'made\n');
  execFileSync('git', ['-C', repo, 'add', '.']);
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', ['-C', repo, ...author, 'commit', '-q', '-m', 'base']);
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  deps = withHost({ folder, database, hostId: 'one' });
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An open workspace whose work is in a snapshot. */
async function worked(runId: string, setup: string) {
  await createRunStore(database).start({ runId, bodySha256: runId, plan: samplePlan(), inputs: {} });
  const { base: _, ...rest } = samplePlan().workspace;
  const plan = { ...rest, repo: join(folder, 'repo'), worktree: true, setup };
  const { path } = await asEngineTask(1, () => openWorkspace(deps, { runId, workspace: plan }));
  writeFileSync(join(path, 'file'), 'work');
  const { commit, tree } = await snapshot({
    runId,
    step: 'work',
    pass: 1,
    attempt: 1,
    worktree: path,
    keep: [],
    refs: 'watched',
  });
  return { path, request: { runId, workspace: { plan, path }, to: commit, tree } };
}

function setBackNow(request: Parameters<typeof setBack>[1]): Promise<void> {
  return asEngineTask(2, () => asTask(deps, `${request.runId}/work#1.judge1`, (task) => setBack(deps, request, task)));
}

test('B12: what stands there is set back to the snapshot, and its set-up is left as it is', async () => {
  const { path, request } = await worked('run_1', 'echo once >> made');
  writeFileSync(join(path, 'file'), 'changed by what was broken off');
  await setBackNow(request);
  expect(readFileSync(join(path, 'file'), 'utf8')).toBe('work');
  expect(readFileSync(join(path, 'made'), 'utf8')).toBe('once\n');
});

test('F1: a workspace that somebody deleted is rebuilt at the snapshot, with its set-up done', async () => {
  const { path, request } = await worked('run_2', 'echo once >> made; echo set-up > file');
  rmSync(path, { recursive: true });
  await setBackNow(request);
  expect(readFileSync(join(path, 'file'), 'utf8')).toBe('work');
  expect(readFileSync(join(path, 'made'), 'utf8')).toBe('once\n');
});

test('a rebuilt workspace whose set-up fails is not left half set up for the checks of the next try', async () => {
  const { path, request } = await worked('run_3', 'test "$(cat file)" = base');
  rmSync(path, { recursive: true });
  await expect(setBackNow(request)).rejects.toMatchObject({ type: 'workspace/setup-failed' });
  expect(existsSync(path)).toBe(false);
});

const scope = { inputs: {}, outputs: {}, feedback: [], iteration: 0, run: { id: 'r', name: 'n' } };

test('F1: checks whose workspace was deleted before they began are judged on the rebuilt one', async () => {
  const { path, request } = await worked('run_4', 'true');
  rmSync(path, { recursive: true });
  const { runId, workspace } = request;
  const common = { needs: 'always', timeSeconds: 60, expectExit: 0, where: 'workspace' } as const;
  const input: JudgeInput = {
    runId,
    step: 'work',
    pass: 1,
    round: 1,
    checks: [{ ...common, kind: 'command', name: 'tests', command: 'test "$(cat file)" = work' }],
    restore: false,
    guard: false,
    workspace,
    snapshot: { commit: request.to, tree: request.tree, head: request.to },
    scope,
    env: {},
  };
  await expect(asEngineTask(1, () => judge(deps, input))).rejects.toMatchObject({
    type: 'workspace/missing',
    nonRetryable: false,
  });
  const { verdicts } = await asEngineTask(2, () => judge(deps, input));
  expect(verdicts.map(({ verdict }) => verdict.kind)).toEqual(['pass']);
});

test('F1: a condition whose workspace was deleted is asked in the rebuilt one', async () => {
  const { path, request } = await worked('run_5', 'true');
  rmSync(path, { recursive: true });
  const { runId, workspace } = request;
  const input: EvaluateInput = {
    runId,
    step: 'work',
    pass: 1,
    purpose: 'repeat',
    condition: { command: 'cat file', compare: 'stdout', returns: 'work', timeSeconds: 60 },
    workspace,
    snapshot: { commit: request.to, tree: request.tree, head: request.to },
    env: {},
    secrets: [],
    restore: false,
    scope,
  };
  await expect(asEngineTask(1, () => evaluate(deps, input))).rejects.toMatchObject({ type: 'workspace/missing' });
  expect(await asEngineTask(2, () => evaluate(deps, input))).toEqual({ kind: 'met', actual: 'work' });
});
