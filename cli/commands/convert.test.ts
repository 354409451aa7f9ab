import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';

let cwd: string;
let cli: ScriptedContext;

const task = {
  name: 'health',
  goal: 'Add GET /health.',
  agent: { provider: 'pi' },
  verification: [{ name: 'tests', command: 'npm test' }],
};

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  cli = scriptedContext({ cwd });
  await writeFile(join(cwd, 'health.task.json'), JSON.stringify(task));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

test('convert prints the native form, which validate takes', async () => {
  expect((await cli.run('convert', 'health.task.json')).code).toBe(0);
  const text = cli.out.join('\n');
  expect(text).toMatch(/^setpoint: 1\nname: health\ntask: Add GET \/health\.\n/);
  await writeFile(join(cwd, 'health.loop.yaml'), text);
  expect((await cli.run('validate', 'health.loop.yaml')).code).toBe(0);
});

test('convert writes a new file and never over another one', async () => {
  expect((await cli.run('convert', 'health.task.json', '--file', 'loops/health.loop.yaml')).code).toBe(0);
  expect(cli.out.at(-1)).toBe(
    'Wrote loops/health.loop.yaml (health), the native form of health.task.json (task-file).',
  );
  const written = await readFile(join(cwd, 'loops/health.loop.yaml'), 'utf8');
  expect(written).toContain('checks:\n');
  const again = await cli.run('convert', 'health.task.json', '--file', 'loops/health.loop.yaml');
  expect(again.code).toBe(2);
  expect(again.err.join('\n')).toContain('nothing is overwritten');
  expect(await readFile(join(cwd, 'loops/health.loop.yaml'), 'utf8')).toBe(written);
});

test('convert of a broken file tells all its issues and writes nothing', async () => {
  await writeFile(join(cwd, 'broken.json'), JSON.stringify({ ...task, goal: '', limits: { maxIterations: 0 } }));
  const { code, err } = await cli.run('convert', 'broken.json', '--file', 'out.yaml');
  expect(code).toBe(2);
  expect(err.join('\n')).toMatch(/goal[^]*maxIterations/);
  await expect(readFile(join(cwd, 'out.yaml'))).rejects.toThrow('ENOENT');
});

test('convert of a native file says that its comments are left out', async () => {
  await writeFile(join(cwd, 'own.yaml'), '# mine\ntask: x\nagent: codex\nchecks: [make]\n');
  const { code, err } = await cli.run('convert', 'own.yaml');
  expect(code).toBe(0);
  expect(err.join('\n')).toContain('native form already');
});
