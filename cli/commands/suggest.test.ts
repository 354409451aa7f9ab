import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { scriptedPrompts } from '#cli/testing/scripted-prompts.ts';
import { makeSmallRepository, nodeRepository } from '#cli/testing/small-repository.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';

const suggestion = {
  name: 'CSV import',
  checks: [
    { kind: 'command', name: 'tests', run: 'npm test', why: 'A broken importer fails it.' },
    { kind: 'review', name: 'docs', criterion: 'The README names CSV.', why: 'No command can tell.' },
  ],
  mode: 'all',
  passes: 4,
  why: 'A small change.',
};

let folder: string;
let cwd: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setpoint-suggest-test-'));
  cwd = join(folder, 'work');
  await makeSmallRepository(cwd, nodeRepository);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A program that says what it was asked on stderr, then these lines. */
async function context(messages: readonly unknown[], prompts?: Prompts, then = ''): Promise<ScriptedContext> {
  const entry = join(folder, 'suggest.mjs');
  const asked = join(folder, 'asked.json');
  const lines = messages.map((message) => JSON.stringify(message)).join('\n');
  await writeFile(
    entry,
    `import { text } from 'node:stream/consumers'; import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(asked)}, await text(process.stdin));
console.log(${JSON.stringify(lines)});${then}`,
  );
  return scriptedContext({
    cwd,
    entries: { 'workers/suggest.js': entry },
    ...(prompts === undefined ? {} : { prompts }),
  });
}

const good = [
  { event: 'asking', agent: 'codex', tries: 1 },
  { event: 'suggested', agent: 'codex', suggestion },
];

test('E-21: without a terminal the suggestion is printed as a definition, and nothing is written or started', async () => {
  const before = await readdir(cwd);
  const { code, out, err } = await (await context(good)).run('init', '--suggest', 'Accept CSV.', '--agent', 'codex');
  expect(code).toBe(0);
  expect(out.join('')).toContain('# Suggested by codex; read it before you run it. A small change.');
  expect(out.join('')).toContain('  # A broken importer fails it.\n  - name: tests\n    run: npm test\n');
  expect(err.join('\n')).toContain('Nothing was written');
  expect(await readdir(cwd)).toEqual(before);
  const asked: unknown = JSON.parse(await readFile(join(folder, 'asked.json'), 'utf8'));
  expect(asked).toEqual({ task: 'Accept CSV.', agent: 'codex', repo: cwd });
});

test('E-21: --file writes it, and never over a file', async () => {
  const { code, out } = await (await context(good)).run('init', '--suggest', 'Accept CSV.', '--file', 'a/b.loop.yaml');
  expect(code).toBe(0);
  expect(out.join('\n')).toContain('Nothing runs yet.');
  expect(await readFile(join(cwd, 'a/b.loop.yaml'), 'utf8')).toContain('agent: codex\n');
  const again = await (await context(good)).run('init', '--suggest', 'Accept CSV.', '--file', 'a/b.loop.yaml');
  expect(again.code).toBe(2);
});

test('E-21: in a terminal it is shown for review first; no is the default', async () => {
  const no = scriptedPrompts([['Write it to a file?', undefined]]);
  const before = await readdir(cwd);
  expect((await (await context(good, no)).run('init', '--suggest', 'Accept CSV.')).code).toBe(0);
  expect(no.shown.get('Suggested')).toContain('passes: 4');
  expect(await readdir(cwd)).toEqual(before);
  const yes = scriptedPrompts([
    ['Write it to a file?', true],
    ['Which file?', 'csv.loop.yaml'],
  ]);
  await (await context(good, yes)).run('init', '--suggest', 'Accept CSV.');
  expect(await readFile(join(cwd, 'csv.loop.yaml'), 'utf8')).toContain('setup: npm ci');
});

test('E-21: an agent that gives none is told with cause and remedy, exit 5', async () => {
  const failed = { event: 'failed', message: 'codex gave no suggestion that can be used', remedy: 'ask another one' };
  const { code, err } = await (await context([failed])).run('init', '--suggest', 'Accept CSV.');
  expect(code).toBe(5);
  expect(err.slice(-2)).toEqual(['setpoint: codex gave no suggestion that can be used', '  remedy: ask another one']);
});

test('E-21: a program that breaks is told by its own words, exit 5', async () => {
  const broken = await context(['noise'], undefined, 'console.error("it broke"); process.exit(7);');
  const { code, err } = await broken.run('init', '--suggest', 'Accept CSV.');
  expect([code, err.join('\n')]).toEqual([5, expect.stringMatching(/\(7\): it broke/)]);
});

test('E-21: an empty task, and a starter beside it, are wrong usage', async () => {
  expect((await (await context(good)).run('init', '--suggest', ' ')).code).toBe(2);
  expect((await (await context(good)).run('init', 'feature', '--suggest', 'x')).code).toBe(2);
});

test('E-21, E-20: what the doctor says about a suggestion is shown with it', async () => {
  const weak = { ...suggestion, checks: [{ kind: 'command', name: 'tests', run: 'npm test || true', why: 'None.' }] };
  const messages = [{ event: 'suggested', agent: 'codex', suggestion: weak }];
  const { code, err } = await (await context(messages)).run('init', '--suggest', 'Accept CSV.');
  expect(code).toBe(0);
  expect(err.join('\n')).toMatch(/What the doctor says:\nsuggested\.loop\.yaml:\d+:\d+ warning check\//);
  const prompts = scriptedPrompts([['Write it to a file?', undefined]]);
  await (await context(messages, prompts)).run('init', '--suggest', 'Accept CSV.');
  expect(prompts.shown.get('What the doctor says')).toContain('suggested.loop.yaml');
});
