import { expect, test } from 'vitest';
import type { Stack, StackProcess } from '#core/contract/stack.ts';
import { identify } from '#infra/stack/process-identity.ts';
import { isUp, seenProcesses } from '#infra/stack/stack-file.ts';

const since = '2030-01-01T00:00:00.000Z';
const alive = { ...identify(process.pid), state: 'running' as const, since };

function stackOf(processes: StackProcess[]): Stack {
  return {
    version: 1,
    url: 'http://127.0.0.1:1',
    home: '/home',
    tokenFile: '/home/token',
    temporalAddress: '127.0.0.1:2',
    temporalNamespace: 'default',
    databaseUrl: 'postgres://127.0.0.1:3/x',
    processes,
    kept: { ports: { api: 1, temporal: 2, postgres: 3 }, databasePassword: 'x', databaseFolder: null },
  };
}

test('a process whose pid is another by now is seen as gone, and the stack is not up', () => {
  const api: StackProcess = { pid: null, startMark: null, ...alive, role: 'api' };
  const stack = stackOf([
    { ...api, role: 'supervisor', startMark: 'of a process before' },
    api,
    { role: 'temporal', pid: null, startMark: null, state: 'external', since },
  ]);
  expect(isUp(stack)).toBe(false);
  expect(seenProcesses(stack).map(({ role, state }) => [role, state])).toEqual([
    ['supervisor', 'gone'],
    ['api', 'running'],
    ['temporal', 'external'],
  ]);
  expect(seenProcesses(undefined)).toEqual([]);
});
