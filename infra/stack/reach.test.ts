import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canReach } from '#infra/stack/reach.ts';

const stranger = { uid: 54_321, gid: 54_321 };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setpoint-reach-'));
  await chmod(folder, 0o711);
});
afterEach(() => rm(folder, { recursive: true }));

test('a closed folder anywhere above shuts another account out, and so does one behind a link', async () => {
  await mkdir(join(folder, 'open/closed/inner'), { recursive: true });
  expect(await canReach(join(folder, 'open/closed/inner/data'), stranger)).toBe(true);
  await chmod(join(folder, 'open/closed'), 0o700);
  expect(await canReach(join(folder, 'open/closed/inner/data'), stranger)).toBe(false);
  await symlink(join(folder, 'open/closed/inner'), join(folder, 'link'));
  expect(await canReach(join(folder, 'link/data'), stranger)).toBe(false);
});

test('folders that do not exist yet do not count', async () => {
  expect(await canReach(join(folder, 'new/newer/data'), stranger)).toBe(true);
});
