import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announceReady } from '#workers/ready.ts';

test('a process that is ready leaves its pid where the supervisor looks, whole', async () => {
  const home = await mkdtemp(join(tmpdir(), 'setpoint-ready-'));
  announceReady('host', home);
  announceReady('host', home);
  expect(await readFile(join(home, 'run/host.ready'), 'utf8')).toBe(String(process.pid));
  expect(await readdir(join(home, 'run'))).toEqual(['host.ready']);
  await rm(home, { recursive: true });
});
