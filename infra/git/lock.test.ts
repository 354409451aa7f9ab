import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock, withRepositoryLock } from '#infra/git/lock.ts';
import { identify } from '#infra/stack/process-identity.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setpoint-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A real process that holds the lock, by the file that it would have written. */
async function holder() {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const identity = identify(child.pid ?? 0);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '7'), JSON.stringify({ host: hostname(), ...identity }));
  return child;
}

describe('F1: work on a repository is serialised', () => {
  it('F1: one at a time, also when the others come through another door than this process’s queue', async () => {
    let inside = 0;
    let most = 0;
    let done = 0;
    // Another spelling of the folder is another queue: they meet only in the files, as two processes would.
    const doors = Array.from({ length: 12 }, (_, n) => `${folder}${'/.'.repeat(n % 6)}`);
    await Promise.all(
      doors.map((door) =>
        withLock(door, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
          done += 1;
        }),
      ),
    );
    expect({ most, done }).toEqual({ most: 1, done: 12 });
    expect((await readdir(folder)).filter((name) => !/^\d+$/.test(name))).toEqual([]);
  });

  it('F1: it is given back when the work throws', async () => {
    await expect(withLock(folder, () => Promise.reject(new TypeError('no')))).rejects.toThrow('no');
    expect(await withLock(folder, () => Promise.resolve('yes'))).toBe('yes');
  });

  it('F1: a live holder is waited for up to the limit, then it is a fault that names it; killed -9, it holds nothing', async () => {
    const child = await holder();
    await expect(withLock(folder, () => Promise.resolve(), 100)).rejects.toMatchObject({
      code: 'workspace/locked',
      message: expect.stringContaining(`process ${child.pid}`),
    });
    const waiting = withLock(folder, () => Promise.resolve('mine'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await waiting).toBe('mine');
  });

  it('F1: a pid that was used again is not the holder', async () => {
    await writeFile(
      join(folder, '1'),
      JSON.stringify({ host: hostname(), pid: process.pid, startMark: 'another start' }),
    );
    expect(await withLock(folder, () => Promise.resolve('mine'))).toBe('mine');
  });

  it('F1: a holder on another machine is never taken for dead', async () => {
    await writeFile(join(folder, '1'), JSON.stringify({ host: 'another.example', pid: 1, startMark: 'x' }));
    await expect(withLock(folder, () => Promise.resolve(), 50)).rejects.toMatchObject({
      code: 'workspace/locked',
      message: expect.stringContaining('another.example'),
    });
  });

  it('F1: a repository’s lock is in the folder that all its worktrees share', async () => {
    await withRepositoryLock({ commonDir: folder }, async () => {
      expect(await readdir(join(folder, 'setpoint', 'lock'))).toContain('1');
    });
  });
});
