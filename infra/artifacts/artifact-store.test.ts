import { createHash } from 'node:crypto';
import { mkdtempSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { storeFault } from '#infra/artifacts/store-fault.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setpoint-artifacts-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const sha = (content: string) => createHash('sha256').update(content).digest('hex');

describe('the artifact store', () => {
  test('names content by its hash, and the same content twice is one file', async () => {
    const store = openArtifactStore(root);
    const first = await store.putText('hello');
    expect(first).toEqual({ ref: `sha256:${sha('hello')}`, sha256: sha('hello'), bytes: 5 });
    expect(await store.putText('hello')).toEqual(first);
    expect(await store.readText(first.sha256)).toBe('hello');
    expect(await store.size(first.sha256)).toBe(5);
    expect(readdirSync(join(root, 'incoming'))).toEqual([]);
  });

  test('reads a range of bytes', async () => {
    const store = openArtifactStore(root);
    const { sha256 } = await store.putText('0123456789');
    expect(await text(await store.read(sha256, { start: 2, length: 3 }))).toBe('234');
    expect(await text(await store.read(sha256, { start: 7 }))).toBe('789');
    expect(await text(await store.read(sha256))).toBe('0123456789');
  });

  test('content is there only when it is finished, and a discarded one leaves nothing', async () => {
    const store = openArtifactStore(root);
    const writer = store.openArtifact();
    writer.write(Buffer.from('half'));
    expect(await store.size(sha('half'))).toBeUndefined();
    writer.discard();
    expect(readdirSync(join(root, 'incoming'))).toEqual([]);
  });

  test('what a crash left half-written is removed once it is old enough', async () => {
    const store = openArtifactStore(root);
    store.openArtifact().write(Buffer.from('half'));
    expect(await store.removeAbandoned(60_000, Date.now())).toBe(0);
    expect(await store.removeAbandoned(60_000, Date.now() + 120_000)).toBe(1);
    expect(readdirSync(join(root, 'incoming'))).toEqual([]);
  });

  test('H4, T-30: secrets are redacted while writing, across chunks; the hash is of what is stored', async () => {
    const store = openArtifactStore(root);
    const writer = store.openArtifact({ secrets: [{ name: 'KEY', value: 'hunter2-hunter2' }] });
    for (const part of ['key=hunt', 'er2-hun', 'ter2;']) writer.write(Buffer.from(part));
    const { sha256 } = await writer.finish();
    expect(sha256).toBe(sha('key=[redacted];'));
    expect(await store.readText(sha256)).toBe('key=[redacted];');
  });

  test('a large content does not grow the memory', async () => {
    const store = openArtifactStore(root);
    const writer = store.openArtifact({ secrets: [{ name: 'KEY', value: 'hunter2-hunter2' }] });
    const block = Buffer.alloc(1 << 20, '.');
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 256; index += 1) writer.write(block);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 << 20);
    expect((await writer.finish()).bytes).toBe(256 << 20);
  });

  test('a finished file is adopted by a link: its own path stays', async () => {
    const store = openArtifactStore(root);
    const path = join(root, 'live.log');
    writeFileSync(path, 'output');
    await store.adopt(path, { sha256: sha('output'), bytes: 6 });
    await store.adopt(path, { sha256: sha('output'), bytes: 6 });
    rmSync(path);
    expect(await store.readText(sha('output'))).toBe('output');
  });

  test('what is not there, and what is no name, is a fault that says so', async () => {
    const store = openArtifactStore(root);
    await expect(store.read(sha('never'))).rejects.toMatchObject({ code: 'store/artifact-missing' });
    await expect(store.readText('../../etc/passwd')).rejects.toMatchObject({ code: 'store/artifact-missing' });
  });

  test('a full disk is a fault that waits; any other refusal is one that is tried again', () => {
    const full = openSync('/dev/full', 'w');
    const refusal = () => {
      try {
        return writeSync(full, 'x');
      } catch (error) {
        return storeFault(error, 'Writing');
      }
    };
    expect(refusal()).toMatchObject({ code: 'store/disk-full' });
    writeFileSync(join(root, 'file'), '');
    expect(() => openArtifactStore(join(root, 'file')).openArtifact()).toThrow(
      expect.objectContaining({ code: 'store/unavailable' }),
    );
  });
});
