import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFileInside } from '#infra/sandbox/open-inside.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setpoint-open-'));
  mkdirSync(join(root, 'inside/deep'), { recursive: true });
  mkdirSync(join(root, 'outside'));
  writeFileSync(join(root, 'inside/deep/file'), 'own');
  writeFileSync(join(root, 'outside/file'), 'of the host');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function textOf(path: string): Promise<string | undefined> {
  const file = await openFileInside(join(root, 'inside'), path);
  const text = await file?.readFile('utf8');
  await file?.close();
  return text;
}

test('F6: a file is opened where it lies; what a folder that became a link leads to is not', async () => {
  expect(await textOf('deep/file')).toBe('own');
  rmSync(join(root, 'inside/deep'), { recursive: true });
  symlinkSync(join(root, 'outside'), join(root, 'inside/deep'));
  symlinkSync(join(root, 'outside/file'), join(root, 'inside/link'));
  expect([await textOf('deep/file'), await textOf('link'), await textOf('none'), await textOf('.')]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
