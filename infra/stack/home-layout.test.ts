import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StackFault } from '#core/contract/stack.ts';
import { ensureHome, logTail } from '#infra/stack/home-layout.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'setpoint-layout-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a home that cannot be made is a fault that names the setting', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const home of [file, join(file, 'below')]) {
    expect(() => ensureHome(home)).toThrow(StackFault);
    expect(() => ensureHome(home)).toThrow(/cannot be the data folder.*Set SETPOINT_HOME/);
  }
});

test('the end of a log is what was said, each thing once in a row', () => {
  mkdirSync(join(folder, 'logs'));
  const line = (msg: string, time: number) => JSON.stringify({ level: 60, time, err: { stack: 'long' }, msg });
  const lines = [line('the database is away', 1), line('the database is away', 2), 'Error: a crash', line('bye', 3)];
  writeFileSync(join(folder, 'logs', 'api.log'), `${lines.join('\n')}\n`);
  expect(logTail(folder, 'api')).toBe('the database is away\nError: a crash\nbye');
  expect(logTail(folder, 'host')).toBe('');
});
