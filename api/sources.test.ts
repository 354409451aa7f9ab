import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunListed } from '#core/contract/http.ts';
import { Source } from '#core/contract/library.ts';
import { sweepOnce } from '#infra/temporal/sweeper.ts';
import { bodyOf, type TestApi } from '../test/integration/with-api.ts';
import {
  attemptsOf,
  type Loop,
  loopOf,
  refused,
  type SteeredRuns,
  steeredRuns,
} from '../test/integration/steered-runs.ts';
import { withWorkers } from '../test/integration/with-workers.ts';

let api: TestApi;
let runs: SteeredRuns;

beforeAll(async () => {
  api = await withWorkers();
  runs = steeredRuns(api);
});
afterAll(() => api.close());

describe('E-19: sources', () => {
  const put = async (label: string, on: boolean) =>
    bodyOf(api.call(`/v1/sources/${label}`, { method: 'PUT', body: { on } }), Source);

  test('E3: while it is off the running pass is judged, new ones wait, a paused run stays paused; none is cancelled', async () => {
    const { command, open } = runs.door();
    const labels = ['nightly'];
    const loop: Loop = { passes: [command, 'touch result'], check: 'test -e result' };
    const [running, paused, other] = [
      await runs.start(loop, { labels }),
      await runs.start(loop, { labels }),
      await runs.start(loop, { labels: ['daily'] }),
    ];
    await Promise.all([running, paused, other].map((runId) => runs.begun(runId, 1)));
    await runs.done(runs.post(paused, 'pause'));
    expect(await put('nightly', false)).toMatchObject({ on: false, changedBy: 'owner' });
    const late = await runs.start(loop, { labels });
    open();
    await runs.until(running, (_run, events) => events.find(({ type }) => type === 'loop.fired'));
    expect(await runs.stopOf(other)).toBe('succeeded');
    for (const runId of [running, late]) {
      const held = await runs.until(runId, ({ summary }) =>
        summary.remedy === 'setpoint source on nightly' ? summary : undefined,
      );
      expect(held).toMatchObject({ status: 'queued', why: 'Its source "nightly" is switched off.' });
    }
    expect(attemptsOf(await runs.eventsOf(running))).toBe(1);
    expect(attemptsOf(await runs.eventsOf(late))).toBe(0);
    await put('nightly', true);
    expect([await runs.stopOf(running), await runs.stopOf(late)]).toEqual(['succeeded', 'succeeded']);
    expect((await runs.hasStatus(paused, 'paused')).why).toContain('Paused by owner');
    await runs.done(runs.post(paused, 'resume'));
    expect(await runs.stopOf(paused)).toBe('succeeded');
  });

  test('E3: a fork of a run whose source is off waits, too', async () => {
    const first = await runs.start({ passes: ['touch result'], check: 'test -e result' }, { labels: ['weekly'] });
    expect(await runs.stopOf(first)).toBe('succeeded');
    await put('weekly', false);
    const { runId } = await bodyOf(runs.post(first, 'fork', { step: 'work', pass: 1 }), RunListed);
    await runs.until(runId, ({ summary }) => (summary.remedy === 'setpoint source on weekly' ? true : undefined));
    expect(existsSync(join(api.parts.dataFolder, 'test-host', 'worktrees', runId))).toBe(false);
    await put('weekly', true);
    expect(await runs.stopOf(runId)).toBe('succeeded');
  });

  test('decision 12: what is not sent is the sweeper’s; a switch that changes nothing has no messages', async () => {
    const { command, open } = runs.door();
    const runId = await runs.start({ passes: [command], check: 'true' }, { labels: ['monthly'] });
    await runs.begun(runId, 1);
    const { messages } = await api.parts.sources.put({ label: 'monthly', on: false, changedBy: 'ada', id: 'x' });
    expect(messages).toMatchObject([{ runId, answer: null, message: { kind: 'hold', by: 'ada', switched: 1 } }]);
    expect((await api.parts.sources.put({ label: 'monthly', on: false, changedBy: 'ada', id: 'y' })).messages).toEqual(
      [],
    );
    expect((await sweepOnce(api.parts)).answered).toContain(messages[0]?.message.id);
    expect((await runs.show(runId)).state).toMatchObject({ held: ['monthly'] });
    open();
    await put('monthly', true);
    expect(await runs.stopOf(runId)).toBe('succeeded');
  });
});

describe('E2: priority', () => {
  test('it is stored and shown; 3 unless given; 1 to 5', async () => {
    const loop: Loop = { passes: ['true'], check: 'true' };
    const [urgent, plain] = [await runs.start(loop, { priority: 1 }), await runs.start(loop)];
    expect([(await runs.show(urgent)).priority, (await runs.show(plain)).priority]).toEqual([1, 3]);
    const body = { definition: loopOf(loop), priority: 6 };
    expect((await refused(api.call('/v1/runs', { body }))).status).toBe(400);
    expect([await runs.stopOf(urgent), await runs.stopOf(plain)]).toEqual(['succeeded', 'succeeded']);
  });
});
