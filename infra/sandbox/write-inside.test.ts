import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeInside } from '#infra/sandbox/write-inside.ts';

let root = '';
let home = '';
let outside = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setpoint-inside-'));
  [home, outside] = [join(root, 'home'), join(root, 'outside')];
  mkdirSync(home);
  mkdirSync(outside);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('writing into a folder that an agent owns', () => {
  test('the file and its folders are made, for the host’s user alone', async () => {
    await writeInside(home, join(home, 'a/b/file'), 'text');
    expect(readFileSync(join(home, 'a/b/file'), 'utf8')).toBe('text');
    expect(lstatSync(join(home, 'a/b/file')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, 'a/b'))).toEqual(['file']);
  });

  test('F6: a planted link at the file, or at a folder on the way, leads nowhere', async () => {
    writeFileSync(join(outside, 'kept'), 'kept');
    symlinkSync(join(outside, 'kept'), join(home, 'file'));
    symlinkSync(outside, join(home, 'prompts'));
    symlinkSync(join(outside, 'made'), join(home, 'dangling'));
    await writeInside(home, join(home, 'file'), 'new');
    await writeInside(home, join(home, 'prompts/pass-2.md'), 'new');
    await writeInside(home, join(home, 'dangling'), 'new');
    expect(readdirSync(outside)).toEqual(['kept']);
    expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
    for (const name of ['file', 'prompts/pass-2.md', 'dangling']) {
      expect(readFileSync(join(home, name), 'utf8')).toBe('new');
    }
  });

  test.runIf(process.platform === 'linux')('F6: nor does one that a command plants meanwhile', async () => {
    const flip = `const fs = require('node:fs'); process.chdir(process.argv[1]);
      for (;;) {
        try { fs.mkdirSync('deep', { recursive: true }); } catch {}
        try { fs.rmSync('deep', { recursive: true, force: true }); } catch {}
        try { fs.symlinkSync(process.argv[2], 'deep'); } catch {}
        try { fs.unlinkSync('deep'); } catch {}
      }`;
    const flipping = spawn(process.execPath, ['-e', flip, home, outside]);
    await once(flipping, 'spawn');
    // What it takes away under the writer is no matter here: only where the writer gets to is.
    for (let tries = 0; tries < 600; tries += 1) {
      await writeInside(home, join(home, 'deep/file'), 'new').catch(() => undefined);
    }
    flipping.kill('SIGKILL');
    await once(flipping, 'close');
    expect(readdirSync(outside)).toEqual([]);
  });

  test('a folder where the file belongs, and a file where a folder belongs, give way', async () => {
    mkdirSync(join(home, 'file/deep'), { recursive: true });
    writeFileSync(join(home, 'prompts'), '');
    await writeInside(home, join(home, 'file'), 'new');
    await writeInside(home, join(home, 'prompts/x'), 'new');
    expect([readFileSync(join(home, 'file'), 'utf8'), readFileSync(join(home, 'prompts/x'), 'utf8')]).toEqual([
      'new',
      'new',
    ]);
  });

  test('a path that is not inside is refused', async () => {
    await expect(writeInside(home, join(outside, 'x'), '')).rejects.toThrow(TypeError);
  });
});
