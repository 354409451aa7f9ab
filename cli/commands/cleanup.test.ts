import { afterEach, beforeEach, expect, test } from 'vitest';

import type { CleanedUp, CleanupShown } from '#core/contract/cleanup.ts';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, problem, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { runId } from '#cli/testing/sample-run.ts';

const route = `POST /v1/runs/${runId}/cleanup`;
const removed: CleanedUp = { worktree: '/home/w', readers: 1, snapshots: 3, keptRefs: 2 };

let server: ScriptedServer;

beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(() => server.stop());

function scripted(interactive: boolean): ScriptedContext {
  return scriptedContext({ cwd: '/', environment: { url: server.url }, interactive });
}

function answer(shown: Omit<CleanupShown, 'runId'>, status = 200): void {
  server.on(route, json({ runId, ...shown }, status));
}

test('T-29: cleanup says what was removed and what stays', async () => {
  answer({ status: 'cleaned', removed });
  const { code, out } = await scripted(true).run('cleanup', runId, '--snapshots');
  expect(code).toBe(0);
  expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ snapshots: true, dryRun: false });
  expect(out).toEqual([
    '✓ removed the worktree /home/w',
    '✓ removed 1 checkout that a crash had left',
    '✓ removed 3 refs of its snapshots',
    `  kept 2 refs with a delivery or other work: git for-each-ref refs/setpoint/${runId}`,
  ]);
});

test('T-29: a dry run is told as such, and nothing to do as well', async () => {
  answer({ status: 'dry_run', removed: { ...removed, readers: 0, snapshots: 0, keptRefs: 0 } });
  const { out } = await scripted(true).run('cleanup', runId, '--dry-run');
  expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ snapshots: false, dryRun: true });
  expect(out).toEqual(['would remove the worktree /home/w']);
  answer({ status: 'cleaned', removed: { worktree: null, readers: 0, snapshots: 0, keptRefs: 0 } });
  expect((await scripted(true).run('cleanup', runId)).out).toEqual([
    `${runId} has no worktree: there is nothing to remove`,
  ]);
});

test('T-29: a host that is away is named, exit 0', async () => {
  answer({ status: 'pending', why: 'Host h1 has not answered yet.' }, 202);
  const { code, out } = await scripted(true).run('cleanup', runId);
  expect([code, out]).toEqual([
    0,
    [`${runId} is to be cleaned up. Host h1 has not answered yet.`, `  look again  setpoint cleanup ${runId}`],
  ]);
});

test('T-29: without a terminal, or with --json, stdout is the answer alone', async () => {
  answer({ status: 'cleaned', removed });
  const lines = [
    (await scripted(false).run('cleanup', runId)).out,
    (await scripted(true).run('cleanup', runId, '--json')).out,
  ];
  for (const out of lines)
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([{ runId, status: 'cleaned', removed }]);
});

test('T-29: unsaved work is refused with its remedy, exit 2', async () => {
  server.on(route, problem(409, 'run/unsaved-work', 'It holds work: a.txt.', { remedy: 'Commit it.' }));
  const { code, err } = await scripted(false).run('cleanup', runId);
  expect(code).toBe(2);
  expect(err).toEqual(['setpoint: It holds work: a.txt. (run/unsaved-work)', '  remedy: Commit it.']);
});
