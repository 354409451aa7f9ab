import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunList } from '#core/contract/http.ts';
import { type SteeredRuns, steeredRuns } from '../test/integration/steered-runs.ts';
import { bodyOf, type TestApi } from '../test/integration/with-api.ts';
import { withWorkers } from '../test/integration/with-workers.ts';

let api: TestApi;
let runs: SteeredRuns;

beforeAll(async () => {
  api = await withWorkers();
  runs = steeredRuns(api);
});
afterAll(() => api.close());

const listed = async (status: string) => (await bodyOf(api.call(`/v1/runs?status=${status}`), RunList)).runs;

test('E-26: active and finished loops in one list, with iteration, state and output; paused, resumed and cancelled from there', async () => {
  const ended = await runs.start({ passes: ['touch result'], check: 'test -e result' });
  expect(await runs.stopOf(ended)).toBe('succeeded');
  const { command, open } = runs.door();
  const runId = await runs.start({ passes: ['echo none yet', command], check: 'test -e never' });
  await runs.begun(runId, 2);
  const [active] = await listed('running');
  expect(active).toMatchObject({ runId, name: 'Loop', summary: { status: 'running', passes: 2 } });
  const output = await api.call(`/v1/runs/${runId}/output?step=work&pass=1`);
  expect(await output.text()).toContain('none yet');
  await runs.done(runs.post(runId, 'pause', { reason: 'look' }));
  expect((await listed('paused')).map((run) => [run.runId, run.summary.remedy])).toEqual([
    [runId, expect.stringContaining(`setpoint resume ${runId}`)],
  ]);
  await runs.done(runs.post(runId, 'resume'));
  expect((await runs.post(runId, 'cancel')).status).toBeLessThan(300);
  open();
  expect(await runs.stopOf(runId)).toBe('cancelled');
  expect((await listed('ended')).map(({ runId: id, summary }) => [id, summary.stop?.kind])).toEqual([
    [runId, 'cancelled'],
    [ended, 'succeeded'],
  ]);
});

test('E-23: a loop shows its state, its iterations against the cap, spend, each check with its evidence, and every verdict so far', async () => {
  const runId = await runs.start({
    passes: ['echo 1 > n', 'echo 2 > n'],
    check: 'cat n; grep -q 3 n',
    change: { limits: { passes: 2, time: '10m', noProgress: 0 }, onExhausted: 'pause' },
  });
  const { why } = await runs.hasStatus(runId, 'paused');
  expect(why).toContain('loop limit of 1 reached');
  const { summary, plan, state } = await runs.show(runId);
  expect([summary.passes, plan.steps[0]?.loop?.limit, summary.spendUsd]).toEqual([2, 1, 0]);
  const verdict = { kind: 'fail', evidence: { summary: 'exit 1' } };
  expect(state).toMatchObject({ steps: { work: { pass: 2, verdicts: [{ verdict }] } } });
  const verdicts = (await runs.eventsOf(runId)).flatMap((event) =>
    event.type === 'check.judged' ? [[event.pass, event.check, event.verdict.kind]] : [],
  );
  expect(verdicts).toEqual([
    [1, 'cat n; grep -q 3 n', 'fail'],
    [2, 'cat n; grep -q 3 n', 'fail'],
  ]);
  await runs.post(runId, 'cancel');
});
