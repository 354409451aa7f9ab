import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { kindInside, readInside, removeInside } from '#infra/sandbox/read-inside.ts';

function folders() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-inside-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [root, outside] = [join(folder, 'root'), join(folder, 'outside')];
  for (const path of [root, outside]) mkdirSync(path);
  writeFileSync(join(outside, 'secret'), 'secret');
  symlinkSync(outside, join(root, 'way'));
  symlinkSync(join(outside, 'secret'), join(root, 'link'));
  symlinkSync('loop', join(root, 'loop'));
  mkdirSync(join(root, 'folder'));
  writeFileSync(join(root, 'folder', 'file'), 'content');
  return { root, outside };
}

test('F6: a file is read, and no link of the workspace leads out of it', async () => {
  const { root } = folders();
  const found = await readInside(root, 'folder/file', 100);
  expect(found.kind === 'file' && found.bytes.toString()).toBe('content');
  const kinds = await Promise.all(
    ['link', 'way/secret', 'folder', 'none', 'none/file', 'folder/file/below', 'loop', 'loop/file'].map(
      async (path) => (await readInside(root, path, 100)).kind,
    ),
  );
  expect(kinds).toEqual([
    'not_a_file',
    'not_a_file',
    'not_a_file',
    'absent',
    'absent',
    'absent',
    'not_a_file',
    'absent',
  ]);
  expect(await readInside(root, 'folder/file', 3)).toEqual({ kind: 'too_large' });
  await expect(readInside(root, '../outside/secret', 100)).rejects.toThrow('is not inside');
});

test('F6: what is removed is the link, never what it names', async () => {
  const { root, outside } = folders();
  for (const path of ['way/secret', 'link', 'folder', 'none/at/all']) await removeInside(root, path);
  expect(existsSync(join(outside, 'secret'))).toBe(true);
  expect(existsSync(join(root, 'folder'))).toBe(false);
  expect(await kindInside(root, 'link')).toBe('absent');
  await removeInside(root, 'way');
  expect(existsSync(join(outside, 'secret'))).toBe(true);
});

test('F6: only real files and folders are told as such', async () => {
  const { root } = folders();
  const kinds = await Promise.all(
    ['folder', 'folder/file', 'link', 'way', 'way/secret', 'none'].map((path) => kindInside(root, path)),
  );
  expect(kinds).toEqual(['folder', 'file', 'not_real', 'not_real', 'not_real', 'absent']);
});
