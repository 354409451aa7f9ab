import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

test.each([
  ['a folder', (path: string) => mkdir(path), 'it is a folder'],
  [
    'text of Windows',
    (path: string) => writeFile(path, Buffer.from('task: sch\xf6n', 'latin1')),
    'it is no text in UTF-8',
  ],
  ['UTF-16', (path: string) => writeFile(path, '\uFEFFtask: Mend it.', 'utf16le'), 'it is no text in UTF-8'],
])('%s is refused with the reason and nothing of the system in it', async (_name, make, why) => {
  await make(join(cwd, 'other.yaml'));
  const { code, err } = await cli.run('validate', 'other.yaml');
  expect(code).toBe(2);
  expect(err[0]).toBe(`setpoint: the definition other.yaml cannot be read: ${why}`);
});

test('a byte order mark and the line ends of Windows change nothing', async () => {
  await writeFile(join(cwd, 'windows.yaml'), '\uFEFFtask: Mend it.\r\nagent: codex\r\nchecks: [npm test]\r\n');
  expect((await cli.run('validate', 'windows.yaml')).code).toBe(0);
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

test('5 MB of YAML are refused below 100 ms, and no more of the file is read than that takes (A14)', async () => {
  await writeFile(join(cwd, 'large.yaml'), `task: |\n${'  €uro and more words\n'.repeat(230_000)}`);
  await cli.run('validate', 'bad.yaml');
  let tookMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && tookMs >= 100; tries += 1) {
    const began = performance.now();
    const { code, err } = await cli.run('validate', 'large.yaml');
    tookMs = Math.min(tookMs, performance.now() - began);
    expect([code, err.join('\n')]).toEqual([2, expect.stringMatching(/^large\.yaml:1:1 .*source\/too-large/m)]);
  }
  expect(tookMs).toBeLessThan(100);
});

test('a definition of exactly 1 MiB is read whole; one byte more is too large (A14)', async () => {
  const text = 'agent: codex\nchecks: [npm test]\ntask: |\n  ';
  const fill = (bytes: number) => `${text}${'x'.repeat(bytes - text.length - 1)}\n`;
  await writeFile(join(cwd, 'whole.yaml'), fill(1_048_576));
  await writeFile(join(cwd, 'more.yaml'), fill(1_048_577));
  const codes = async (file: string) => (await cli.run('validate', file)).code;
  expect([await codes('whole.yaml'), await codes('more.yaml')]).toEqual([0, 2]);
  expect(cli.err.join('\n')).toMatch(/more\.yaml:1:1 .*source\/too-large/);
});
