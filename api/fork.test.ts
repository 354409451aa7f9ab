import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunListed } from '#core/contract/http.ts';
import { RunDefinitionShown } from '#core/contract/steer.ts';
import { fold } from '#core/run/apply.ts';
import { isHeld } from '#infra/git/hold-snapshot.ts';
import { forgetRefs, runRefsOf } from '#infra/git/forget-snapshots.ts';
import { sweepOnce } from '#infra/temporal/sweeper.ts';
import { bodyOf, type TestApi } from '../test/integration/with-api.ts';
import { loopOf, refused, type SteeredRuns, steeredRuns } from '../test/integration/steered-runs.ts';
import { withWorkers } from '../test/integration/with-workers.ts';

let api: TestApi;
let runs: SteeredRuns;

beforeAll(async () => {
  api = await withWorkers();
  runs = steeredRuns(api);
});
afterAll(() => api.close());

describe('E8: fork', () => {
  const passes = ['echo 1 > n', 'echo 2 > n', 'echo 3 > n && touch result'];
  const ended = async (labels: string[] = []) => {
    const runId = await runs.start({ passes, check: 'test -e result' }, { labels });
    expect(await runs.stopOf(runId)).toBe('succeeded');
    return runId;
  };
  const forkedFrom = (runId: string, body: object) => bodyOf(runs.post(runId, 'fork', body), RunListed);

  test('E8: it begins with exactly the snapshot; no pass before is paid again; the first run is untouched', async () => {
    const first = await ended();
    const before = await runs.show(first);
    const { runId } = await forkedFrom(first, { step: 'work', pass: 2, name: 'Another way' });
    expect(await runs.stopOf(runId)).toBe('succeeded');
    const events = await runs.eventsOf(runId);
    const fork = events.findIndex(({ type }) => type === 'run.forked');
    expect(events[fork]).toMatchObject({ from: { runId: first, step: 'work', pass: 2 }, by: 'owner' });
    expect(events.slice(0, fork)).toEqual((await runs.eventsOf(first)).slice(0, fork));
    // It judges pass 2 itself, on its tree, and goes on by pass 3.
    const later = events.slice(fork);
    expect(later.flatMap((event) => (event.type === 'attempt.started' ? [event.pass] : []))).toEqual([3]);
    const judged = later.find(({ type }) => type === 'check.judged');
    expect(judged).toMatchObject({ pass: 2, verdict: { kind: 'fail' } });
    const snapshot = events.flatMap((event) =>
      event.type === 'attempt.finished' && event.pass === 2 ? [event.result.snapshot] : [],
    )[0];
    const finished = later.find(({ type }) => type === 'checks.finished');
    expect(finished).toMatchObject({ tree: snapshot?.tree });
    const run = await runs.show(runId);
    expect(run).toMatchObject({ name: 'Another way', forkedFrom: { runId: first, step: 'work', pass: 2 } });
    expect(run.state).toEqual(JSON.parse(JSON.stringify(fold(run.plan, events))) as unknown);
    const after = await runs.show(first);
    expect([after.cursor, after.state, after.summary]).toEqual([before.cursor, before.state, before.summary]);
    expect(after.forks).toEqual([{ runId, step: 'work', pass: 2 }]);
    expect(await isHeld(runs.repository.path, snapshot?.commit ?? '')).toBe(true);
  });

  test('D2: the same call again is the same run; another one under its id is a conflict', async () => {
    const first = await ended();
    const body = { step: 'work', pass: 1, messageId: `${first}-f` };
    const [one, two] = [await runs.post(first, 'fork', body), await runs.post(first, 'fork', body)];
    expect([one.status, two.status]).toEqual([201, 200]);
    const [a, b] = [await bodyOf(one, RunListed), await bodyOf(two, RunListed)];
    expect([a.runId, one.headers.get('location')]).toEqual([b.runId, `/v1/runs/${a.runId}`]);
    expect((await refused(runs.post(first, 'fork', { ...body, pass: 2 }))).code).toBe('run/message-conflict');
    expect(await runs.stopOf(a.runId)).toBe('succeeded');
  });

  test('E8: a pass that there is not is refused with the nearest', async () => {
    const first = await ended();
    const none = await refused(runs.post(first, 'fork', { step: 'work', pass: 7 }));
    expect(none).toMatchObject({ status: 404, code: 'fork/no-such-pass' });
    expect(none.remedy).toContain('work:3, work:2, work:1');
    expect((await refused(runs.post(first, 'fork', { step: 'nope', pass: 1 }))).code).toBe('fork/no-such-pass');
    const off = await runs.start(
      { passes: ['true'], check: 'true' },
      { overrides: { repo: runs.repository.path, worktree: false } },
    );
    expect(await runs.stopOf(off)).toBe('succeeded');
    expect((await refused(runs.post(off, 'fork', { step: 'work', pass: 1 }))).code).toBe('fork/snapshot-gone');
  });

  test('E8: a snapshot that was cleaned up is refused; what was forked before goes on all the same', async () => {
    const first = await ended();
    const { runId } = await forkedFrom(first, { step: 'work', pass: 1 });
    expect(await runs.stopOf(runId)).toBe('succeeded');
    await forgetRefs(runs.repository.path, (await runRefsOf(runs.repository.path, first)).snapshots);
    expect(await refused(runs.post(first, 'fork', { step: 'work', pass: 2 }))).toMatchObject({
      status: 409,
      code: 'fork/snapshot-gone',
    });
    // The fork holds its own.
    expect((await forkedFrom(first, { step: 'work', pass: 1 })).forkedFrom).toMatchObject({ pass: 1 });
  });

  test('E8, E3: a fork has the edits that were made before its pass, and only those', async () => {
    const { command, open } = runs.door();
    const runId = await runs.start({ passes: ['touch a', command], check: 'test -e never' });
    await runs.begun(runId, 2);
    const loop = { passes: ['touch a', command], check: 'test -e a' };
    await runs.done(runs.post(runId, 'edit', { definition: loopOf(loop) }));
    open();
    expect(await runs.stopOf(runId)).toBe('succeeded');
    const before = await forkedFrom(runId, { step: 'work', pass: 1 });
    const text = async (id: string) => (await bodyOf(api.call(`/v1/runs/${id}/definition`), RunDefinitionShown)).source;
    expect(await text(before.runId)).toContain('test -e never');
    const edited = await forkedFrom(runId, { step: 'work', pass: 2 });
    expect(await text(edited.runId)).toContain('test -e a');
    await runs.done(runs.post(before.runId, 'cancel'));
    expect(await runs.stopOf(before.runId)).toBe('cancelled');
  });

  test('decision 13: a fork whose workflow was never started is seated by the sweeper', async () => {
    const first = await ended();
    const { engine } = api.parts;
    const unable = { ...engine, startSeat: async () => 'unreachable' as const };
    api.parts.engine = unable;
    const { runId } = await forkedFrom(first, { step: 'work', pass: 1 }).finally(() => {
      api.parts.engine = engine;
    });
    expect((await runs.show(runId)).summary.status).toBe('queued');
    await api.database.query({
      text: `update runs set updated_at = now() - interval '1 minute' where run_id = $1`,
      values: [runId],
    });
    expect((await sweepOnce(api.parts)).seated).toContain(runId);
    expect(await runs.stopOf(runId)).toBe('succeeded');
  });
});
