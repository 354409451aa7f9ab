import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureHome, runFolder } from '#infra/stack/home-layout.ts';
import { homeOwner, lockHome } from '#infra/stack/home-lock.ts';
import { identify } from '#infra/stack/process-identity.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'setpoint-lock-'));
  ensureHome(home);
});
afterEach(() => rm(home, { recursive: true }));

const locks = async () => (await readdir(runFolder(home))).filter((name) => name.startsWith('lock.'));

test('the second who asks is told who has the home; after the release it is free', async () => {
  const first = lockHome(home);
  if (!('release' in first)) throw new TypeError('taken');
  expect(lockHome(home)).toEqual({ owner: identify(process.pid) });
  expect(homeOwner(home)?.pid).toBe(process.pid);
  first.release();
  expect(homeOwner(home)).toBeUndefined();
  expect(lockHome(home)).toHaveProperty('release');
});

test('the lock of a process that was killed, or whose pid is used again, holds nobody up', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  await writeFile(join(runFolder(home), 'lock.4'), JSON.stringify(identify(child.pid ?? 0)));
  expect(lockHome(home)).toHaveProperty('owner');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = lockHome(home);
  expect(lock).toHaveProperty('release');
  expect(await locks()).toEqual(['lock.5']);
  await writeFile(join(runFolder(home), 'lock.6'), JSON.stringify({ pid: process.pid, startMark: 'before the boot' }));
  expect(lockHome(home)).toHaveProperty('release');
});

test('a lock that was removed with its home is not held, and its release leaves the lock of the next owner', async () => {
  const lock = lockHome(home);
  if (!('release' in lock)) throw new TypeError('taken');
  expect(lock.isHeld()).toBe(true);
  await rm(join(runFolder(home), 'lock.1'));
  expect(lock.isHeld()).toBe(false);
  await writeFile(join(runFolder(home), 'lock.1'), JSON.stringify({ pid: 1, startMark: 'another' }));
  lock.release();
  expect(await locks()).toEqual(['lock.1']);
});
