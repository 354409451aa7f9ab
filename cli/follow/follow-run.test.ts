import { afterEach, beforeEach, expect, test } from 'vitest';

import { createApiClient } from '#cli/client/api-client.ts';
import { followRun } from '#cli/follow/follow-run.ts';
import { scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
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
    asked += 1;
    const why = { why: 'host h1 was last seen 40 s ago', remedy: 'start it again' };
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
