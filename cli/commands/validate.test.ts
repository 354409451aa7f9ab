import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';

let cwd: string;
let cli: ScriptedContext;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  cli = scriptedContext({ cwd });
  await writeFile(join(cwd, 'good.yaml'), 'task: Mend it.\nagent: codex\nchecks: [npm test]\n');
  await writeFile(join(cwd, 'bad.yaml'), 'task: Mend it.\nagnet: codex\nchekcs: [npm test]\n');
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

test('validate needs no server and ends with 0 for a good file', async () => {
  const { code, out } = await cli.run('validate', 'good.yaml');
  expect(code).toBe(0);
  expect(out.at(-1)).toContain('good.yaml: valid');
});

test('validate tells all issues at once with their places, exit 2', async () => {
  const { code, err } = await cli.run('validate', 'bad.yaml');
  expect(code).toBe(2);
  expect(err.join('\n')).toMatch(/^bad\.yaml:2:1 .*agnet/m);
  expect(err.join('\n')).toMatch(/^bad\.yaml:3:1 .*chekcs/m);
});

test('plan prints the defaults in plain words (C1), or the graph', async () => {
  expect((await cli.run('plan', 'good.yaml')).code).toBe(0);
  expect(cli.out.join('\n')).toContain('5 passes');
  expect(cli.out.join('\n')).toContain('4h');
  cli.out.length = 0;
  await cli.run('plan', 'good.yaml', '--graph');
  expect(cli.out.join('\n')).toContain('work');
});

test('plan of a broken file ends with 2', async () => {
  expect((await cli.run('plan', 'bad.yaml')).code).toBe(2);
});
