import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { layFiles } from '#activities/attempt/lay-files.ts';

let root = '';
let places = { home: '', userHome: '' };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setpoint-lay-'));
  places = { home: join(root, 'home'), userHome: join(root, 'user') };
  mkdirSync(join(places.userHome, '.codex'), { recursive: true });
  writeFileSync(join(places.userHome, '.codex/auth.json'), 'the login');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const invocation = () => ({
  files: [{ path: join(places.home, 'prompts/pass-2.md'), content: 'Mend it.' }],
  signInFiles: ['.codex/auth.json', '.codex/config.toml'],
});

test('A11: prompt files and the sign-in files that there are lie in the HOME', async () => {
  await layFiles(places, invocation());
  expect(readFileSync(join(places.home, 'prompts/pass-2.md'), 'utf8')).toBe('Mend it.');
  expect(readdirSync(join(places.home, '.codex'))).toEqual(['auth.json']);
});

test('a sign-in that the agent has renewed in its HOME is kept', async () => {
  await layFiles(places, invocation());
  writeFileSync(join(places.home, '.codex/auth.json'), 'renewed');
  await layFiles(places, invocation());
  expect(readFileSync(join(places.home, '.codex/auth.json'), 'utf8')).toBe('renewed');
});

test('F6: links that an agent planted in its HOME open nothing outside', async () => {
  const outside = join(root, 'outside');
  mkdirSync(outside);
  mkdirSync(places.home);
  execFileSync('sh', ['-c', `ln -s ${outside} prompts; mkdir .codex; ln -s ${outside}/login .codex/auth.json`], {
    cwd: places.home,
  });
  await layFiles(places, invocation());
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync(join(places.home, 'prompts/pass-2.md'))).toBe(true);
});
