import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Stack } from '#core/contract/stack.ts';
import { loadConfig } from '#infra/config.ts';
import { identify, type ProcessIdentity } from '#infra/stack/process-identity.ts';
import { backoffMs } from '#workers/supervisor/keep-running.ts';
import { adoptable, plannedStack, planStack } from '#workers/supervisor/stack-plan.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'setpoint-plan-'));
});
afterEach(() => rm(home, { recursive: true }));

const configured = (env: Record<string, string> = {}) => loadConfig({ SETPOINT_HOME: home, ...env }, home);

function self(): ProcessIdentity {
  const identity = identify(process.pid);
  if (identity === undefined) throw new TypeError('no self');
  return identity;
}

/** As if this process were the one of `role` that a killed supervisor left. */
function leftAs(stack: Stack, role: string): Stack {
  const entry = { ...self(), state: 'running' as const, since: new Date().toISOString() };
  return {
    ...stack,
    processes: stack.processes.map((old) => (old.role === role ? { role: old.role, ...entry } : old)),
  };
}

test('ports, password and token are kept from one start to the next', async () => {
  const first = await planStack(configured(), undefined);
  const second = await planStack(configured(), plannedStack(first, self()));
  expect(second).toEqual(first);
});

test('a port that somebody else has taken meanwhile is given up', async () => {
  const first = await planStack(configured(), undefined);
  const server = createServer().listen(first.kept.ports.postgres, '127.0.0.1');
  await once(server, 'listening');
  const second = await planStack(configured(), plannedStack(first, self()));
  expect(second.kept.ports.postgres).not.toBe(first.kept.ports.postgres);
  expect(second.kept.databasePassword).toBe(first.kept.databasePassword);
  server.close();
});

test('a leftover is adopted when it serves the same addresses, and its port is kept though it is taken', async () => {
  const first = await planStack(configured(), undefined);
  const server = createServer().listen(first.kept.ports.postgres, '127.0.0.1');
  await once(server, 'listening');
  const last = leftAs(plannedStack(first, self()), 'postgres');
  const second = await planStack(configured(), last);
  expect(second.databaseUrl).toBe(first.databaseUrl);
  expect(adoptable(second, last, 'postgres')).toEqual(self());
  expect(adoptable(second, last, 'temporal')).toBeUndefined();
  server.close();
});

test('settings that name other addresses leave nothing to adopt, and the embedded password is kept for later', async () => {
  const first = await planStack(configured(), undefined);
  const last = leftAs(plannedStack(first, self()), 'control');
  const second = await planStack(configured({ SETPOINT_DATABASE_URL: 'postgres://u:p@db:5432/x' }), last);
  expect(second.external).toEqual(['postgres']);
  expect(adoptable(second, last, 'control')).toBeUndefined();
  const third = await planStack(configured(), plannedStack(second, self()));
  expect(third.kept.databasePassword).toBe(first.kept.databasePassword);
});

test('the backoff doubles from a tenth of a second and ends at ten', () => {
  expect([1, 2, 3, 7, 8, 50].map(backoffMs)).toEqual([100, 200, 400, 6_400, 10_000, 10_000]);
});
