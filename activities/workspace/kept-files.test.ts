import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { WorkspaceOpened } from '#core/contract/activities.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { keepFiles } from '#activities/workspace/keep-files.ts';
import { openWorkspace } from '#activities/workspace/open-workspace.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { asEngineTask } from '../../test/fakes/engine-task.ts';
import { samplePlan } from '../../test/fakes/sample-plan.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { type TestDatabase, withPostgres } from '../../test/integration/with-postgres.ts';

let folder = '';
let repo = '';
let server: TestDatabase;
let database: Database;
let host: HostDeps;
let runs = 0;

const globs = ['.state/**', 'seen *.txt'];
const kept = { project: 'web', name: 'nightly', globs };

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
});
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-kept-')));
  repo = join(folder, 'repo');
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  put(repo, 'file', 'one');
  commit();
  host = withHost({ folder, database, hostId: 'one' });
  await database.query({ text: 'delete from kept_files', values: [] });
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function commit(): void {
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', ['-C', repo, 'add', '-f', '.']);
  execFileSync('git', ['-C', repo, ...author, 'commit', '-q', '-m', 'more']);
}

const { base: _, setup: __, ...plain } = samplePlan().workspace;
const workspace = () => ({ ...plain, repo, worktree: true });

async function open(changes: { setup?: string } = {}): Promise<WorkspaceOpened & { runId: string }> {
  runs += 1;
  const runId = `run_k${runs}`;
  await createRunStore(database).start({ runId, bodySha256: runId, plan: samplePlan(), inputs: {} });
  const input = { runId, workspace: { ...workspace(), ...changes }, kept };
  return { ...(await asEngineTask(1, () => openWorkspace(host, input))), runId };
}

function keep({ runId, path }: { runId: string; path: string }) {
  return asEngineTask(1, () => keepFiles(host, { runId, ...kept, workspace: { plan: workspace(), path } }));
}

const treeOf = (commit: string) =>
  execFileSync('git', ['-C', repo, 'ls-tree', '-r', '--name-only', commit], { encoding: 'utf8' }).split('\n');

const snapshotOf = ({ runId, path }: { runId: string; path: string }) =>
  snapshot({ worktree: path, keep: [], runId, step: 'work', pass: 1, attempt: 1 });

test('D-23: what a run keeps is there before the set-up of the next one, and in no snapshot of either (F2)', async () => {
  const first = await open();
  put(first.path, '.state/deep/seen.json', '[1]');
  put(first.path, 'seen by me.txt', 'x');
  chmodSync(join(first.path, 'seen by me.txt'), 0o755);
  put(first.path, 'work', 'new');
  const taken = await snapshotOf(first);
  expect(treeOf(taken.commit)).toEqual(['file', 'work', '']);
  expect(await keep(first)).toEqual({ files: 2 });
  expect(await keep(first)).toEqual({ files: 2 });

  const second = await open({ setup: 'cat .state/deep/seen.json > copied' });
  expect(second.notes).toEqual([]);
  expect(readFileSync(join(second.path, 'copied'), 'utf8')).toBe('[1]');
  expect(statSync(join(second.path, 'seen by me.txt')).mode & 0o777).toBe(0o755);
  expect(treeOf((await snapshotOf(second)).commit)).toEqual(['copied', 'file', '']);
});

test('D-23: the last run wins, also when it leaves nothing', async () => {
  const first = await open();
  put(first.path, '.state/a', '1');
  await keep(first);
  const second = await open();
  rmSync(join(second.path, '.state'), { recursive: true });
  expect(await keep(second)).toEqual({ files: 0 });
  expect(existsSync(join((await open()).path, '.state'))).toBe(false);
});

test('D-23: what the base has of its own stays as it is, and a note says so; a link of the base is not written through', async () => {
  const first = await open();
  put(first.path, '.state/a', 'kept');
  put(first.path, 'seen 1.txt', 'kept');
  await keep(first);
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, join(repo, '.state'));
  put(repo, 'seen 1.txt', 'of the base');
  commit();
  const second = await open();
  expect(second.notes).toEqual([
    '.state/a, which the last run kept, was not laid in: the base has it.',
    'seen 1.txt, which the last run kept, was not laid in: the base has it.',
  ]);
  expect(readFileSync(join(second.path, 'seen 1.txt'), 'utf8')).toBe('of the base');
  expect(existsSync(join(outside, 'a'))).toBe(false);
  // Tracked files are work like any other.
  put(second.path, 'seen 1.txt', 'changed');
  expect((await snapshotOf(second)).changedPaths).toBe(1);
});

test('D-23: links are not kept, and none is followed out of the workspace', async () => {
  const first = await open();
  put(folder, 'secret/key', 'of the host');
  mkdirSync(join(first.path, '.state'));
  symlinkSync(join(folder, 'secret', 'key'), join(first.path, '.state', 'key'));
  symlinkSync(join(folder, 'secret'), join(first.path, '.state', 'folder'));
  expect(await keep(first)).toEqual({ files: 0 });
});

test('D-23: more than 64 MiB are not kept, and what was kept before stays', async () => {
  const first = await open();
  put(first.path, '.state/a', '1');
  await keep(first);
  const second = await open();
  put(second.path, '.state/large', '');
  truncateSync(join(second.path, '.state/large'), 65 * 1024 * 1024);
  await expect(keep(second)).rejects.toMatchObject({ type: 'workspace/kept-too-large', nonRetryable: true });
  expect(readFileSync(join((await open()).path, '.state/a'), 'utf8')).toBe('1');
});

test('D-23: a kept file whose content is gone is a note, and the run begins', async () => {
  const first = await open();
  put(first.path, '.state/a', 'gone soon');
  await keep(first);
  rmSync(join(folder, 'artifacts'), { recursive: true });
  expect((await open()).notes).toEqual([
    '.state/a, which the last run kept, was not laid in: its content is no longer in the store.',
  ]);
});

test('F4: in a given checkout the files simply stay', async () => {
  const input = { runId: 'run_x', ...kept, workspace: { plan: { ...workspace(), worktree: false }, path: repo } };
  expect(await asEngineTask(1, () => keepFiles(host, input))).toEqual({ files: 0 });
});
