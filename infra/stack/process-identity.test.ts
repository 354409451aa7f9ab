import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endProcess, identify, isAlive, type ProcessIdentity, signalProcess } from '#infra/stack/process-identity.ts';

async function start(program: string): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', `${program}; process.stdout.write('up'); setInterval(() => {}, 1000)`]);
  await once(child.stdout, 'data');
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new TypeError('it ended at once');
  return identity;
}

test('a process is itself only with the same start, and another with its pid gets no signal', async () => {
  const child = await start('');
  expect(identify(child.pid)).toEqual(child);
  const other = { pid: child.pid, startMark: 'another' };
  expect(isAlive(other)).toBe(false);
  expect(signalProcess(other, 'SIGKILL')).toBe(false);
  expect(isAlive(child)).toBe(true);
  expect(await endProcess(child, { signal: 'SIGTERM', graceMs: 5_000 })).toBe(true);
  expect(identify(child.pid)).toBeUndefined();
});

test('a process that does not heed the first signal is killed after its grace time', async () => {
  const stubborn = await start(`process.on('SIGTERM', () => {})`);
  expect(await endProcess(stubborn, { signal: 'SIGTERM', graceMs: 100 })).toBe(false);
  expect(isAlive(stubborn)).toBe(false);
});

test('ending a process that is gone is no error', async () => {
  const child = await start('');
  await endProcess(child, { signal: 'SIGKILL', graceMs: 5_000 });
  expect(await endProcess(child, { signal: 'SIGTERM', graceMs: 0 })).toBe(true);
});
