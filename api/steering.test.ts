import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PersonPut } from '#core/contract/library.ts';
import { RunDefinitionShown } from '#core/contract/steer.ts';
import { bodyOf, type TestApi } from '../test/integration/with-api.ts';
import { attemptsOf, refused, type SteeredRuns, steeredRuns } from '../test/integration/steered-runs.ts';
import { withWorkers } from '../test/integration/with-workers.ts';

let api: TestApi;
let runs: SteeredRuns;

beforeAll(async () => {
  api = await withWorkers();
  runs = steeredRuns(api);
});
afterAll(() => api.close());

describe('E3: pause and resume', () => {
  test('E3, E-15: what is under way is finished and judged, nothing new begins, and then it goes on', async () => {
    const { command, open } = runs.door();
    const runId = await runs.start({ passes: [command, 'echo good > result'], check: 'test -e result' });
    await runs.begun(runId, 1);
    const ada = await bodyOf(api.call('/v1/people/ada', { method: 'PUT', body: {} }), PersonPut);
    const paused = await runs.done(
      api.call(`/v1/runs/${runId}/pause`, {
        body: { reason: 'look first', messageId: `${runId}-p` },
        headers: { authorization: `Bearer ${ada.token ?? ''}` },
      }),
    );
    expect(paused.summary).toMatchObject({
      status: 'paused',
      why: expect.stringContaining('Paused by ada: look first'),
    });
    expect(paused.summary.why).toContain('What is under way ends first');
    expect(await refused(runs.post(runId, 'pause'))).toMatchObject({ status: 409, code: 'run/already-paused' });
    open();
    const judged = await runs.until(runId, (_run, events) => events.find(({ type }) => type === 'loop.fired'));
    expect(judged).toMatchObject({ step: 'work', pass: 1 });
    expect(attemptsOf(await runs.eventsOf(runId))).toBe(1);
    expect((await runs.show(runId)).summary.remedy).toBe(`setpoint resume ${runId}`);
    await runs.done(runs.post(runId, 'resume', { reason: 'fine' }));
    expect(await runs.stopOf(runId)).toBe('succeeded');
    const resumed = (await runs.eventsOf(runId)).find(({ type }) => type === 'run.resumed');
    expect(resumed).toMatchObject({ by: 'owner', reason: 'fine' });
  });

  test('E3: refusals name cause and remedy; an ended run can be retried', async () => {
    const runId = await runs.start({ passes: ['touch result'], check: 'test -e result' });
    expect(await runs.stopOf(runId)).toBe('succeeded');
    const ended = await refused(runs.post(runId, 'pause'));
    expect(ended).toMatchObject({ status: 409, code: 'run/ended', detail: expect.stringContaining('succeeded') });
    expect(ended.remedy).toContain(`setpoint retry ${runId}`);
    expect((await refused(runs.post(runId, 'resume'))).code).toBe('run/ended');
    expect((await refused(runs.post(runId, 'retry'))).code).toBe('run/succeeded');
    expect((await refused(runs.post('run_nowhere', 'pause'))).status).toBe(404);
    expect((await refused(runs.post(runId, 'pause', { why: 'x' }))).status).toBe(400);
  });
});

describe('E3: raise', () => {
  const exhausted = async () => {
    const runId = await runs.start({
      passes: ['echo 1 >> n', 'echo 2 >> n', 'touch result'],
      check: 'test -e result',
      change: { limits: { passes: 2, time: '10m', noProgress: 0 }, onExhausted: 'pause' },
    });
    await runs.hasStatus(runId, 'paused');
    return runId;
  };

  test('E3, E-16: a resume is refused while the limit holds, naming the raise, which resumes', async () => {
    const runId = await exhausted();
    const held = await refused(runs.post(runId, 'resume'));
    expect(held).toMatchObject({ status: 409, code: 'run/cause-holds' });
    expect(held.detail).toContain(`setpoint raise ${runId} --passes`);
    expect(await refused(runs.post(runId, 'raise', { passes: 2 }))).toMatchObject({
      status: 409,
      code: 'raise/not-higher',
    });
    expect(await refused(runs.post(runId, 'raise', { spend: '5 USD' }))).toMatchObject({ code: 'raise/no-limit' });
    const raise = { passes: 4, messageId: `${runId}-r` };
    await runs.done(runs.post(runId, 'raise', raise));
    expect(await runs.stopOf(runId)).toBe('succeeded');
    // D2: the same call again changes nothing, another one under its id is a conflict.
    expect((await runs.post(runId, 'raise', raise)).status).toBe(200);
    expect((await refused(runs.post(runId, 'raise', { ...raise, passes: 9 }))).code).toBe('run/message-conflict');
  });

  test('E3: limits are written as in a definition, or as numbers, each once', async () => {
    const runId = await exhausted();
    const { state } = await runs.done(runs.post(runId, 'raise', { time: '2h', passes: 3, step: 'work' }));
    expect(state).toMatchObject({ plan: { limits: { timeSeconds: 7200 } } });
    for (const bad of [{}, { step: 'work' }, { time: '2 hours' }, { spend: '5 EUR' }, { time: '1h', timeSeconds: 1 }]) {
      expect((await refused(runs.post(runId, 'raise', bad))).status).toBe(400);
    }
    expect((await refused(runs.post(runId, 'raise', { passes: 9, step: 'nope' }))).code).toMatch(
      /step\/not-found|run\/ended/,
    );
    expect(await runs.stopOf(runId)).toBe('succeeded');
  });
});

describe('E3: edit', () => {
  const source = (check: string, change = '') =>
    `name: Loop\ntask: Do it.\nagent: { name: scripted, passes: ["touch a", "touch b"] }\nchecks: ["${check}"]\n` +
    `baseline: off\ndeliver: none\nlimits: { passes: 3, time: 10m, noProgress: 0 }\nonExhausted: pause\n${change}`;

  test('E3: a new check counts from the next pass; the text is kept for the next edit', async () => {
    const { command, open } = runs.door();
    const first = source('test -e never').replace('touch a', command);
    const runId = await runs.start({}, { definition: undefined, source: first, file: 'loop.yaml' });
    await runs.begun(runId, 1);
    const shown = await bodyOf(api.call(`/v1/runs/${runId}/definition`), RunDefinitionShown);
    expect(shown).toEqual({ source: first, file: 'loop.yaml' });
    const edited = first.replace('test -e never', 'test -e b');
    await runs.done(runs.post(runId, 'edit', { source: edited }));
    expect((await bodyOf(api.call(`/v1/runs/${runId}/definition`), RunDefinitionShown)).source).toBe(edited);
    expect(await refused(runs.post(runId, 'edit', { source: edited }))).toMatchObject({
      status: 409,
      code: 'edit/unchanged',
    });
    open();
    expect(await runs.stopOf(runId)).toBe('succeeded');
    const judged = (await runs.eventsOf(runId)).flatMap((event) => (event.type === 'check.judged' ? [event] : []));
    expect(judged.map(({ pass, verdict }) => [pass, verdict.kind])).toEqual([
      [1, 'fail'],
      [2, 'pass'],
    ]);
  });

  test('E3: every issue is told at once, and what may not change is refused; nothing changes', async () => {
    const runId = await runs.start({}, { definition: undefined, source: source('test -e never') });
    await runs.hasStatus(runId, 'paused');
    const before = await runs.show(runId);
    const broken = await refused(
      runs.post(runId, 'edit', { source: 'task: x\nagnt: codex\nlimits: { passes: no }\n' }),
    );
    expect(broken).toMatchObject({ status: 422, code: 'definition/invalid' });
    expect(broken.issues?.length).toBeGreaterThan(1);
    const moved = source('test -e never', 'workspace: { setup: "true" }\n');
    const fixed = await refused(runs.post(runId, 'edit', { source: moved }));
    expect(fixed).toMatchObject({
      status: 409,
      code: 'edit/not-allowed',
      detail: expect.stringContaining('workspace'),
    });
    expect((await refused(runs.post(runId, 'edit', {}))).status).toBe(400);
    expect((await runs.show(runId)).cursor).toBe(before.cursor);
  });
});

describe('E8: retry of steps and push back', () => {
  const graph = (wait: string) => ({
    name: 'Graph',
    steps: {
      make: { run: 'echo made >> made', checks: ['test -s made'] },
      look: { run: wait, after: 'make', checks: ['true'] },
    },
    limits: { time: '10m' },
    baseline: 'off',
    deliver: 'none',
  });

  test('E8: one step of a run that has succeeded is done again, or it and all after it', async () => {
    const runId = await runs.start(graph('true'));
    expect(await runs.stopOf(runId)).toBe('succeeded');
    await runs.done(runs.post(runId, 'retry', { only: 'make' }));
    await runs.until(runId, (run, events) =>
      run.summary.status === 'ended' && attemptsOf(events) === 3 ? true : undefined,
    );
    await runs.done(runs.post(runId, 'retry', { from: 'make' }));
    await runs.until(runId, (run, events) =>
      run.summary.status === 'ended' && attemptsOf(events) === 5 ? true : undefined,
    );
    expect((await refused(runs.post(runId, 'retry', { from: 'nope' }))).code).toBe('step/not-found');
    expect((await refused(runs.post(runId, 'retry', { from: 'make', only: 'make' }))).status).toBe(400);
  });

  test('D3: a finished step of a running run is sent back with a remark', async () => {
    const { command, open } = runs.door();
    const runId = await runs.start(graph(command));
    await runs.begun(runId, 2);
    expect((await refused(runs.post(runId, 'push-back', { step: 'look', message: 'no' }))).code).toBe(
      'step/not-finished',
    );
    const message = `Shorter, please. ${'x'.repeat(3_000)}`;
    await runs.done(runs.post(runId, 'push-back', { step: 'make', message }));
    open();
    expect(await runs.stopOf(runId)).toBe('succeeded');
    const sent = (await runs.eventsOf(runId)).flatMap((event) => (event.type === 'step.pushed_back' ? [event] : []));
    expect(sent).toMatchObject([{ step: 'make', by: 'owner', remark: { by: 'owner' } }]);
    const remark = sent[0]?.remark;
    expect(remark?.comment).toHaveLength(1_000);
    expect(await api.parts.artifacts.readText(remark?.text.sha256 ?? '')).toBe(message);
  });
});
