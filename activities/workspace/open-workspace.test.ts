import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenWorkspaceInput } from '#core/contract/activities.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { openWorkspace } from '#activities/workspace/open-workspace.ts';
import { worktreeOf } from '#activities/workspace/places.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createSecretStore } from '#infra/postgres/secret-store.ts';
import { createWorkspaceStore } from '#infra/postgres/workspace-store.ts';
import { asEngineTask } from '../../test/fakes/engine-task.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-open-')));
  commit('first');
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** In the repository, which the first one makes. */
function commit(content: string): void {
  const repo = join(folder, 'repo');
  if (!existsSync(repo)) execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  writeFileSync(join(repo, 'file'), content);
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', ['-C', repo, 'add', '.']);
  execFileSync('git', ['-C', repo, ...author, 'commit', '-q', '-m', content]);
}

function hostNamed(hostId: string): HostDeps {
  return withHost({ folder, database, hostId });
}

async function inputFor(runId: string, plan = samplePlan()): Promise<OpenWorkspaceInput> {
  await createRunStore(database).start({ runId, bodySha256: runId, plan, inputs: {} });
  const { base: _, setup: __, ...workspace } = samplePlan().workspace;
  return { runId, workspace: { ...workspace, repo: join(folder, 'repo'), worktree: true } };
}

test('decision 7: a workspace that another host opened before it could say so is the answer of the next try', async () => {
  const input = await inputFor('run_1');
  const first = await asEngineTask(1, () => openWorkspace(hostNamed('one'), input));
  const other = hostNamed('two');
  const again = await asEngineTask(2, () => openWorkspace(other, input));
  expect(again).toEqual({ ...first, hostId: 'one', queue: 'setpoint-host-one', notes: [] });
  expect(existsSync(worktreeOf(other.home, 'run_1'))).toBe(false);
});

test('decision 7: of two hosts that open one at once the first to store it has it, and the other leaves nothing', async () => {
  const input = await inputFor('run_2');
  const hosts = [hostNamed('one'), hostNamed('two')];
  const answers = await Promise.all(hosts.map((host) => asEngineTask(1, () => openWorkspace(host, input))));
  const owner = (await createWorkspaceStore(database).find('run_2'))?.hostId;
  expect(answers.map(({ hostId }) => hostId)).toEqual([owner, owner]);
  expect(answers[0]).toEqual(answers[1]);
  for (const { hostId, home } of hosts) expect(existsSync(worktreeOf(home, 'run_2'))).toBe(hostId === owner);
});

test('F1: a try after one that was not heard of gives the same workspace, also when the branch has moved', async () => {
  const input = await inputFor('run_3');
  const host = hostNamed('one');
  const first = await asEngineTask(1, () => openWorkspace(host, input));
  commit('second');
  expect(await asEngineTask(2, () => openWorkspace(host, input))).toEqual(first);
});

test('H4: a run that names a secret which is nowhere is not begun; one that is stored for its project is found', async () => {
  const steps = samplePlan().steps.map((step) => ({ ...step, secrets: ['DEPLOY_KEY'] }));
  const input = await inputFor('run_4', samplePlan({ project: 'web', steps }));
  const host = hostNamed('one');
  const open = () => asEngineTask(1, () => openWorkspace(host, input));
  await expect(open()).rejects.toMatchObject({ type: 'secret/not-found', nonRetryable: true });
  expect(existsSync(worktreeOf(host.home, 'run_4'))).toBe(false);
  const secrets = createSecretStore(database, () => Buffer.alloc(32, 7));
  const secret = { name: 'DEPLOY_KEY', value: 'stored-key', updatedBy: 'ada' };
  await secrets.put({ ...secret, project: 'default' });
  await expect(open()).rejects.toMatchObject({ type: 'secret/not-found' });
  await secrets.put({ ...secret, project: 'web' });
  expect((await open()).hostId).toBe('one');
});
