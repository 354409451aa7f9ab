import { mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hydrateLinks } from '#infra/stack/postgres-binaries.ts';

test('links that npm did not keep are made, relative, and made once', async () => {
  const root = await mkdtemp(join(tmpdir(), 'setpoint-links-'));
  await mkdir(join(root, 'native/lib'), { recursive: true });
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  await writeFile(join(root, 'native/pg-symlinks.json'), JSON.stringify(links));
  await hydrateLinks(root);
  await hydrateLinks(root);
  expect(await readlink(join(root, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.18');
  await rm(root, { recursive: true });
});
