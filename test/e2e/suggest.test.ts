import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { fakeClaude } from './fake-claude.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const suggestion = (passes: number): string =>
  JSON.stringify({
    name: 'CSV import',
    checks: [{ kind: 'command', name: 'tests', run: 'touch /var/tmp/setpoint-never; npm test', why: 'It fails.' }],
    mode: 'all',
    passes,
    why: 'Small.',
  });

/** In place of claude: says `first`, and then `second` when it is told that the first was none. */
function answering(first: string, second: string): string {
  const say = (text: string): string =>
    `printf '%s' '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":${JSON.stringify(text)}}'`;
  return `#!/bin/sh\ncase "$(cat)" in *'could not be used'*) ${say(second)};; *) ${say(first)};; esac\n`;
}

const ask = (...argv: string[]) => ['init', '--suggest', 'Accept CSV.', '--agent', 'claude', ...argv];

test('E-21: an agent suggests, its second answer counts, the file is valid, and nothing was launched or run', async () => {
  const repository = stack.repository({ 'fake-agent': answering(suggestion(0), suggestion(4)) });
  const { code, stdout, stderr } = await stack.cli(ask('--file', 'csv.loop.yaml'), { cwd: repository.path });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Asking claude once more')]);
  expect(stdout).toContain('setpoint run csv.loop.yaml');
  expect(readFileSync(join(repository.path, 'csv.loop.yaml'), 'utf8')).toContain('passes: 4');
  expect((await stack.cli(['validate', 'csv.loop.yaml'], { cwd: repository.path })).code).toBe(0);
  expect((await stack.cli(['runs', '--search', 'CSV import', '--json'])).stdout).toBe('');
  expect(existsSync('/var/tmp/setpoint-never')).toBe(false);
  expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(repository.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

test('E-21: without --file it is printed; two answers that are none are an error with the remedy, exit 5', async () => {
  const good = stack.repository({ 'fake-agent': answering(suggestion(4), '') });
  const printed = await stack.cli(ask(), { cwd: good.path });
  expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining('\n  - name: tests\n')]);
  const bad = stack.repository({ 'fake-agent': answering('I would rather not.', 'No.') });
  const refused = await stack.cli(ask(), { cwd: bad.path });
  expect(refused.code).toBe(5);
  expect(refused.stderr).toMatch(/2 times: the answer holds no JSON object\n {2}remedy: .*--agent/);
});

test('E-21: a folder that is no repository, and an agent that fails, are told with what to do', async () => {
  const { code, stderr } = await stack.cli(ask());
  expect([code, stderr]).toEqual([5, expect.stringMatching(/remedy: see docs\/errors\/workspace\/not-a-repository/)]);
  const failing = stack.repository({ 'fake-agent': fakeClaude({ work: 'exit 9' }) });
  const failed = await stack.cli(ask(), { cwd: failing.path });
  expect([failed.code, failed.stderr]).toEqual([5, expect.stringContaining('claude could not be asked')]);
});
