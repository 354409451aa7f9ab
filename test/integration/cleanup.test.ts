import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHostActivities } from '#activities/index.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { artifactsOf, readerOf, worktreeOf } from '#activities/workspace/places.ts';
import { ArtifactsList } from '#core/contract/artifact.ts';
import { CleanupShown } from '#core/contract/cleanup.ts';
import { Fault } from '#core/contract/fault.ts';
import { Problem } from '#core/contract/http.ts';
import { checkoutSnapshot } from '#infra/git/checkout.ts';
import { createScratchRepository, type ScratchRepository } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { openWorktree } from '#infra/git/worktree.ts';
import { samplePlan } from '../fakes/sample-plan.ts';
import { bundleSources } from '../workflow/bundle.ts';
import { bodyOf, type TestApi, withApi } from './with-api.ts';
import { withHost } from './with-host.ts';
import { withTemporal } from './with-temporal.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const stop = { kind: 'failed', reason: 'the work did not pass' } as const;
const hostId = `cleanup-${process.pid}`;

let api: TestApi;
let host: HostDeps;
let scratch: ScratchRepository;
let taskQueue: string;
let connection: NativeConnection;
let end: () => Promise<void>;
let runId: string;
let path: string;

beforeAll(async () => {
  const { address, ...temporal } = await withTemporal();
  taskQueue = temporal.taskQueue;
  api = await withApi({ queue: taskQueue, cleanupMs: 20_000 });
  host = withHost({ folder: api.parts.dataFolder, database: api.database, hostId });
  connection = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
  const workers = await Promise.all([
    Worker.create({ connection, taskQueue, workflowBundle: await bundleSources() }),
    hostWorker(host.queue),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  end = async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
    await api.close();
  };
});
afterAll(() => end());

beforeEach(async () => {
  scratch = await createScratchRepository({ 'a.txt': 'a\n' });
  runId = await endedRun();
  path = worktreeOf(host.home, runId);
  await openWorktree({ repo: scratch.root, path, base: scratch.base, runId });
  await writeFile(join(path, 'a.txt'), 'worked\n');
  await snapshot({ worktree: path, runId, step: 'work', pass: 1, attempt: 1, keep: [] });
});
afterEach(() => scratch.remove());

function hostWorker(queue: string): Promise<Worker> {
  return Worker.create({ connection, taskQueue: queue, activities: { ...createHostActivities(host) } });
}

let runs = 0;

/** A run as it is stored; no workflow carries it. */
async function storedRun(worktree = true): Promise<string> {
  runs += 1;
  const id = `run_cleanup_${runs}`;
  const workspace = { ...samplePlan().workspace, repo: scratch.root, worktree };
  await api.parts.runs.start({ runId: id, bodySha256: id, plan: samplePlan({ workspace }), inputs: {} });
  return id;
}

/** A run that ended on `queue`, whose workspace is stored as that of the host. */
async function endedRun(queue = host.queue): Promise<string> {
  const id = await storedRun();
  const base = { commit: scratch.base, tree: scratch.base, head: scratch.base };
  const opened = { hostId, path: worktreeOf(host.home, id), base };
  await host.workspaces.put(id, opened);
  await api.record(
    id,
    [
      { type: 'run.started', at: 1, runId: id },
      { type: 'workspace.opened', at: 1, ...opened, queue, notes: [] },
      { type: 'run.stopped', at: 2, stop },
    ],
    { status: 'ended', stop },
  );
  return id;
}

const cleanup = (body: object = {}, id = runId) => api.call(`/v1/runs/${id}/cleanup`, { body });
const refs = async () => (await scratch.git(['for-each-ref', '--format=%(refname)', 'refs/setpoint'])).split('\n');
const events = () => api.parts.runs.eventsAfter(runId, 0);

describe('T-29: clean-up of a run that has ended', () => {
  test('T-29: removes its worktree and nothing else, and does nothing a second time', async () => {
    const other = join(host.home, 'worktrees', 'run_other', 'work');
    await openWorktree({ repo: scratch.root, path: other, base: scratch.base, runId: 'run_other' });
    const before = { refs: await refs(), events: await events() };
    const first = await cleanup();
    expect([first.status, await bodyOf(first, CleanupShown)]).toEqual([
      200,
      { runId, status: 'cleaned', removed: { worktree: path, readers: 0, snapshots: 0, keptRefs: 0 } },
    ]);
    expect([existsSync(path), existsSync(`${path}.control`), existsSync(other)]).toEqual([false, false, true]);
    expect({ refs: await refs(), events: await events() }).toEqual(before);
    expect((await bodyOf(cleanup(), CleanupShown)).removed?.worktree).toBeNull();
  });

  test('T-29: tells by dry run what it would remove, and removes nothing', async () => {
    const before = await refs();
    const shown = await bodyOf(cleanup({ dryRun: true, snapshots: true }), CleanupShown);
    expect(shown).toMatchObject({ status: 'dry_run', removed: { worktree: path, snapshots: 3, keptRefs: 0 } });
    expect([existsSync(path), await refs()]).toEqual([true, before]);
  });

  test('T-29: takes the refs of its snapshots only when asked, and checkouts that a crash left', async () => {
    const reader = readerOf(host.home, { runId, step: 'review' });
    await checkoutSnapshot({ repo: scratch.root, commit: scratch.base, path: reader, runId });
    const shown = await bodyOf(cleanup({ snapshots: true }), CleanupShown);
    expect(shown.removed).toEqual({ worktree: path, readers: 1, snapshots: 3, keptRefs: 0 });
    expect([existsSync(reader), await refs()]).toEqual([false, ['']]);
    expect((await scratch.git(['worktree', 'list'])).split('\n')).toHaveLength(1);
  });

  test('T-29: is refused while work is saved nowhere else, by dry run too, and goes on once it is committed', async () => {
    await writeFile(join(path, 'unsaved.txt'), 'mine\n');
    for (const body of [{}, { dryRun: true }]) {
      const refused = await cleanup(body);
      const problem = await bodyOf(refused, Problem);
      expect([refused.status, problem.code, problem.detail]).toEqual([
        409,
        'run/unsaved-work',
        `${path} on host ${hostId} holds work that no snapshot or commit holds: unsaved.txt.`,
      ]);
      expect(problem.remedy).toContain(`git -C ${path} add -A`);
    }
    expect(existsSync(join(path, 'unsaved.txt'))).toBe(true);
    await scratch.git(['add', '-A'], path);
    await scratch.git(['commit', '-q', '-m', 'kept'], path);
    const { removed } = await bodyOf(cleanup({ snapshots: true }), CleanupShown);
    expect(removed).toMatchObject({ worktree: path, snapshots: 3 });
    const kept = (await refs()).find((ref) => ref.includes('/stranded/')) ?? '';
    expect(await scratch.git(['show', `${kept}:unsaved.txt`])).toBe('mine');
  });

  test('T-29: is refused where the repository is gone: its folder is all that is left of the work', async () => {
    await scratch.remove();
    const refused = await cleanup();
    expect([refused.status, (await bodyOf(refused, Problem)).code]).toEqual([409, 'run/unsaved-work']);
    expect(existsSync(path)).toBe(true);
  });

  test('T-29: leaves the checkout alone in which a run without a worktree worked (F4)', async () => {
    const id = await storedRun(false);
    const opened = { hostId, path: scratch.root };
    await host.workspaces.put(id, { ...opened, base: null });
    const at = { at: 1 };
    await api.record(
      id,
      [
        { type: 'run.started', ...at, runId: id },
        { type: 'workspace.opened', ...at, ...opened, queue: host.queue, notes: [] },
        { type: 'run.stopped', ...at, stop },
      ],
      { status: 'ended', stop },
    );
    expect((await bodyOf(cleanup({}, id), CleanupShown)).removed?.worktree).toBeNull();
    expect(existsSync(scratch.root)).toBe(true);
  });

  test('D-06, T-29: the folder of artifacts goes once its files are in the store, without a worktree, too (F4)', async () => {
    const id = await storedRun(false);
    const folder = artifactsOf(host.home, id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'notes.md'), 'notes\n');
    const opened = { hostId, path: scratch.root, artifacts: folder };
    await host.workspaces.put(id, { ...opened, base: null });
    const at = { at: 1 };
    await api.record(
      id,
      [
        { type: 'run.started', ...at, runId: id },
        { type: 'workspace.opened', ...at, ...opened, queue: host.queue, notes: [] },
        { type: 'run.stopped', ...at, stop },
      ],
      { status: 'ended', stop },
    );
    const { removed } = await bodyOf(cleanup({}, id), CleanupShown);
    expect(removed).toMatchObject({ worktree: null, artifacts: { path: folder, files: 1 } });
    const list = ArtifactsList.parse(JSON.parse(await host.artifacts.readText(removed?.artifacts?.list ?? '')));
    const [file] = list.files;
    expect([file?.path, await host.artifacts.readText(file?.sha256 ?? '')]).toEqual(['notes.md', 'notes\n']);
    expect([existsSync(folder), existsSync(scratch.root)]).toEqual([false, true]);
    expect((await bodyOf(cleanup({}, id), CleanupShown)).removed).not.toHaveProperty('artifacts');
  });

  test('T-29: leaves a worktree alone that is another run’s', async () => {
    const id = await storedRun();
    const base = { commit: scratch.base, tree: scratch.base, head: scratch.base };
    const opened = { hostId, path, base };
    await host.workspaces.put(id, opened);
    const at = { at: 1 };
    await api.record(
      id,
      [
        { type: 'run.started', ...at, runId: id },
        { type: 'workspace.opened', ...at, ...opened, queue: host.queue, notes: [] },
        { type: 'run.stopped', ...at, stop },
      ],
      { status: 'ended', stop },
    );
    expect((await bodyOf(cleanup({}, id), CleanupShown)).removed?.worktree).toBeNull();
    expect(existsSync(path)).toBe(true);
  });

  test('T-29: is refused before the run has ended, and for a run that there is not', async () => {
    const id = await storedRun();
    const refused = await cleanup({}, id);
    expect([refused.status, (await bodyOf(refused, Problem)).code]).toEqual([409, 'run/not-ended']);
    const missing = await cleanup({}, 'run_none');
    expect([missing.status, (await bodyOf(missing, Problem)).code]).toEqual([404, 'run/not-found']);
  });

  test('T-29: is refused by the host when the run was taken up again meanwhile', async () => {
    const { engine } = api.parts;
    const id = await storedRun();
    await host.workspaces.put(id, { hostId, path, base: null });
    const fate = await engine.cleanUp({
      queue: host.queue,
      request: { runId: id, snapshots: false, dryRun: false },
    });
    expect(fate).toEqual({ kind: 'answered', outcome: { kind: 'not_ended' } });
    expect(existsSync(path)).toBe(true);
  });
});

describe('T-29: a host that does not answer', () => {
  test('T-29: is a 202 that names it; what was taken is done when it is back', async () => {
    const away = `${host.queue}-away`;
    const id = await endedRun(away);
    const place = worktreeOf(host.home, id);
    await openWorktree({ repo: scratch.root, path: place, base: scratch.base, runId: id });
    const impatient = await withApi({ queue: taskQueue, cleanupMs: 300 });
    impatient.parts.runs = api.parts.runs;
    const response = await impatient.call(`/v1/runs/${id}/cleanup`, { body: {} });
    await impatient.close();
    expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/runs/${id}`]);
    const shown = await bodyOf(response, CleanupShown);
    expect(shown).toMatchObject({ status: 'pending', why: expect.stringContaining(hostId) });
    expect(existsSync(place)).toBe(true);
    const worker = await hostWorker(away);
    await worker.runUntil(async () => {
      expect((await bodyOf(cleanup({}, id), CleanupShown)).removed?.worktree).toBe(place);
    });
    expect(existsSync(place)).toBe(false);
  });

  test('T-29: that tried and could not is a 500 with the fault’s code, an engine that is away a 503', async () => {
    const { engine } = api.parts;
    const answers = [
      [{ kind: 'failed', code: 'workspace/locked', message: 'held by another' }, 500, 'workspace/locked'],
      [{ kind: 'failed', message: 'late' }, 500, 'run/cleanup-failed'],
      [{ kind: 'unreachable' }, 503, 'engine/unavailable'],
    ] as const;
    for (const [fate, status, code] of answers) {
      api.parts.engine = { ...engine, cleanUp: async () => fate };
      const response = await cleanup();
      expect([response.status, (await bodyOf(response, Problem)).code]).toEqual([status, code]);
    }
    api.parts.engine = engine;
  });

  test('T-29: a fault on the host reaches the caller by its code', async () => {
    const { find } = host.runs;
    host.runs.find = () => Promise.reject(new Fault('store/artifact-missing', 'it is gone'));
    try {
      const response = await cleanup();
      const problem = await bodyOf(response, Problem);
      expect([response.status, problem.code, problem.detail]).toEqual([
        500,
        'store/artifact-missing',
        `Host ${hostId} could not clean up after ${runId}: it is gone`,
      ]);
    } finally {
      host.runs.find = find;
    }
  });
});
