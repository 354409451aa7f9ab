import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { type Ended, scriptedContext } from '#cli/testing/scripted-context.ts';

function run(...argv: string[]): Promise<Ended> {
  return scriptedContext({ cwd: '/' }).run(...argv);
}

const commands = (
  'demo run up down status runs show watch logs diff cancel retry cleanup ' +
  'validate plan simulate init agents completion migrate worker api mcp definitions secrets people tasks approve reject push-back'
).split(' ');

test('the help lists every command and ends with 0', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  for (const command of commands) expect(out.join('')).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
});

test('the bare program shows its help', async () => {
  expect((await run()).out).toEqual((await run('--help')).out);
});

test.each(commands)('%s has its help, with the flags that every command takes', async (command) => {
  const { code, out } = await run(command, '--help');
  expect(code).toBe(0);
  expect(out.join('')).toContain('--server <url>');
});

test.each([
  ['rnu', 'run'],
  ['inspcet', 'inspect'],
])('an unknown command %s ends with 2 and names the nearest', async (typed, meant) => {
  const { code, err } = await run(typed);
  expect(code).toBe(2);
  expect(err.join('\n')).toContain(`Did you mean ${meant}?`);
});

test('T-22: init, validate, run --dry-run, resume --task, watch, list, inspect and cleanup are commands', async () => {
  const { out } = await run('--help');
  for (const command of ['init', 'validate', 'resume', 'watch', 'runs|list', 'show|inspect', 'cleanup']) {
    expect(out.join('')).toContain(`\n  ${command} `);
  }
  expect((await run('run', '--help')).out.join('')).toContain('--dry-run');
  expect((await run('resume', '--help')).out.join('')).toContain('--task <file>');
});

test('a worker is control or host', async () => {
  const { code, err } = await run('worker', 'other');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('Allowed choices are control, host');
});

test('a pass counts from 1', async () => {
  expect((await run('logs', 'run_1', '--pass', '0')).code).toBe(2);
});

test('the version is that of the package', async () => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  expect((await run('--version')).out).toEqual([`${version}\n`]);
});
