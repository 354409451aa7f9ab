import { afterEach, beforeEach, expect, test } from 'vitest';

import type { StoredEvent } from '#core/run/event.ts';
import type { RunSummary } from '#core/run/summary.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { followRun } from '#cli/follow/follow-run.ts';
import { scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { asked } from '#cli/testing/sample-task.ts';
import { runId, sendFrames, shown, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

let server: ScriptedServer;

beforeEach(async () => {
  server = await startScriptedServer();
});

afterEach(() => server.stop());

test('while no event comes, it is told why the run does not move and what clears it, once (E2, T-27)', async () => {
  const { context, err } = scriptedContext({ cwd: '/' });
  let asked = 0;
  let goOn: () => void = () => undefined;
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => {
    sendFrames(response, twoPasses.slice(0, 4));
    goOn = () => {
      sendFrames(response, twoPasses.slice(4));
      response.end();
    };
  });
  server.on(`GET /v1/runs/${runId}`, (received, response) => {
    // Before its events have come the run could be asked why, too, and would be told of twice.
    const quiet = err.some((line) => line.includes('work pass 1'));
    if (quiet) asked += 1;
    const why = quiet ? { why: 'host h1 was last seen 40 s ago', remedy: 'start it again' } : {};
    const summary = asked > 3 ? succeeded : { status: 'running' as const, passes: 1, spendUsd: 0, seq: 4, ...why };
    json(shown(summary))(received, response);
    if (asked === 3) goOn();
  });
  const client = createApiClient({ url: server.url, remedy: 'start it' });
  const options = { json: false, quiet: false, wait: true, onInterrupt: 'detach', standstillMs: 5 } as const;
  const { exitCode } = await followRun(context, client, runId, options);
  expect(exitCode).toBe(0);
  expect(err.filter((line) => line.includes('host h1 was last seen'))).toEqual([
    'waits: host h1 was last seen 40 s ago',
  ]);
  expect(err).toContain('  remedy: start it again');
});

const waiting = { status: 'waiting', passes: 1, spendUsd: 0, seq: 5 } as const;

/** Follows with `--no-wait` a run whose stream gives `events` and stays open, and whose state is `summary`. */
async function followed(events: readonly StoredEvent[], summary: RunSummary, standstillMs = 5) {
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => sendFrames(response, events));
  server.on(`GET /v1/runs/${runId}`, json(shown(summary)));
  const { context, out, err } = scriptedContext({ cwd: '/' });
  const client = createApiClient({ url: server.url, remedy: 'start it' });
  const options = { json: false, quiet: false, wait: false, onInterrupt: 'detach', standstillMs } as const;
  return { ...(await followRun(context, client, runId, options)), out, err };
}

test('--no-wait ends with 3 as soon as the server says that the run waits for a person, whatever the events say', async () => {
  const { exitCode, outcome, out } = await followed(twoPasses.slice(0, 3), { ...waiting, task: 'task_1' });
  expect([exitCode, outcome]).toEqual([3, expect.objectContaining({ status: 'waiting', stop: null, task: 'task_1' })]);
  expect(JSON.parse(out[0] ?? '')).toEqual(outcome);
});

test('--no-wait goes on while the run waits for anything else than a person', async () => {
  const paused = { type: 'run.paused', at: 1, code: 'exhausted', reason: 'r', remedy: 'm' } as const;
  const events = [...twoPasses.slice(0, 4), { seq: 5, event: paused }];
  let asked = 0;
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => sendFrames(response, events));
  server.on(`GET /v1/runs/${runId}`, (received, response) => {
    asked += 1;
    // Its pause is an old one: it waits for the window of a provider, and then for a person.
    json(shown(asked < 4 ? { ...waiting, why: 'the window' } : { ...waiting, task: 'task_1' }))(received, response);
  });
  const { context } = scriptedContext({ cwd: '/' });
  const client = createApiClient({ url: server.url, remedy: 'start it' });
  const options = { json: false, quiet: true, wait: false, onInterrupt: 'detach', standstillMs: 5 } as const;
  expect((await followRun(context, client, runId, options)).exitCode).toBe(3);
  expect(asked).toBeGreaterThanOrEqual(4);
});

test('a question is told with the commands that decide it, and --no-wait ends with 3 as soon as nothing else goes on', async () => {
  const { exitCode, err } = await followed(asked, { ...waiting, seq: 17, task: 'task_01hsample.ready' }, 60_000);
  expect(exitCode).toBe(3);
  expect(err).toContain('? Ship it?');
  expect(err).toContain('  reject    setpoint reject task_01hsample.ready');
});

test('--no-wait tells the run up to where it stands, not only to the first question that it ever asked', async () => {
  const paused = { type: 'run.paused', at: 1, code: 'person', reason: 'Paused by ada', remedy: 'm' } as const;
  const later = (asked.at(-1)?.seq ?? 0) + 1;
  const events = [...asked, { seq: later, event: paused }];
  const { exitCode, err } = await followed(events, { ...waiting, status: 'paused', seq: later }, 60_000);
  expect(exitCode).toBe(3);
  expect(err).toContain('paused: Paused by ada (person)');
});

test('E8: of a fork what it shares with the first run is not told again', async () => {
  const shared = twoPasses.slice(0, 4);
  const from = { runId: 'run_first', step: 'work', pass: 1 };
  const rest = [{ type: 'run.forked' as const, at: 9, runId, from }, ...twoPasses.slice(4).map(({ event }) => event)];
  const events = [...shared, ...rest.map((event, index) => ({ seq: shared.length + 1 + index, event }))];
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => {
    sendFrames(response, events);
    response.end();
  });
  server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
  const { context, err } = scriptedContext({ cwd: '/' });
  const client = createApiClient({ url: server.url, remedy: 'start it' });
  const options = { json: false, quiet: false, wait: true, onInterrupt: 'detach', forked: true } as const;
  expect((await followRun(context, client, runId, options)).exitCode).toBe(0);
  expect(err[0]).toContain('forked from run_first');
  expect(err.join('\n')).not.toContain('▶ work pass 1');
});
