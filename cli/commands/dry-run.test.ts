import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { problem, startScriptedServer } from '#cli/testing/scripted-server.ts';

let cwd: string;
let outside: string;

const git = (...args: string[]): string => execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8' }).trim();
const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-dry-'));
  outside = await mkdtemp(join(tmpdir(), 'setpoint-dry-programs-'));
  execFileSync('git', ['init', '-q', '-b', 'main', cwd]);
  await writeFile(join(cwd, 'green.loop.yaml'), definition());
  git('add', '.');
  git(...author, 'commit', '-q', '-m', 'base');
});
afterEach(async () => {
  await rm(cwd, { recursive: true });
  await rm(outside, { recursive: true });
});

function definition(more: object = {}): string {
  const agent = { name: 'scripted', passes: ['touch done'] };
  const inputs = { issue: { type: 'number', required: true } };
  const limits = { passes: 3, time: '2h', spend: '5 USD' };
  return JSON.stringify({
    name: 'Green',
    task: 'Do {{inputs.issue}}.',
    agent,
    inputs,
    limits,
    checks: ['true'],
    ...more,
  });
}

/** A command line whose machine has `agents` and nothing else: any other program of the package is missing. */
async function machine(agents: object[] = [], interactive = false): Promise<ScriptedContext> {
  const probe = join(outside, 'agents.mjs');
  await writeFile(probe, `console.log(${JSON.stringify(JSON.stringify(agents))});\n`);
  return scriptedContext({ cwd, interactive, entries: { 'workers/agents.js': probe } });
}

const agentFound = (name: string, installed: boolean, signedIn = 'yes') => ({
  name,
  installed,
  signedIn,
  remedy: installed ? null : `npm install -g ${name}`,
});
const Told = z.looseObject({ agents: z.array(z.string()).nullable() });

/** All that a run could leave behind here. */
async function traces(): Promise<unknown> {
  return [await readdir(cwd), git('for-each-ref'), git('worktree', 'list'), git('status', '--porcelain')];
}

test('T-22: a dry run says what would run, from where, within which limits and to what end, and creates nothing', async () => {
  const before = await traces();
  const flags = ['--input', 'issue=42', '--deliver', 'branch', '--dry-run'];
  const { code, out } = await (await machine()).run('run', 'green.loop.yaml', ...flags);
  expect(code).toBe(0);
  expect(JSON.parse(out[0] ?? '')).toEqual({
    dryRun: true,
    name: 'Green',
    project: 'default',
    steps: ['work'],
    base: git('rev-parse', 'HEAD'),
    agents: [],
    inputs: { issue: '42' },
    limits: expect.objectContaining({ timeSeconds: 7200, spendUsd: 5 }),
    delivery: expect.objectContaining({ mode: 'branch' }),
  });
  expect(await traces()).toEqual(before);
});

test('T-22: a terminal is told the same in lines', async () => {
  const { code, out } = await (
    await machine([], true)
  ).run('run', 'green.loop.yaml', '--input', 'issue=1', '--dry-run');
  expect(code).toBe(0);
  expect(out).toEqual([
    'Green (project default): work',
    'input issue: 1',
    expect.stringContaining('Active time: 2h'),
    expect.stringContaining('Spend: 5 USD'),
    expect.stringContaining('No progress'),
    expect.stringContaining('Delivery: the verified tree on the branch'),
    `starts from commit ${git('rev-parse', 'HEAD')}`,
    'needs no installed agent',
    'Nothing was created (--dry-run).',
  ]);
});

test('T-22: every wrong input is told at once, exit 2', async () => {
  const { code, err } = await (await machine()).run('run', 'green.loop.yaml', '--input', 'isue=1', '--dry-run');
  expect(code).toBe(2);
  expect(err.join('\n')).toMatch(/input\/unknown.*isue.*issue[\s\S]*input\/missing.*issue/);
  expect(err.join('\n')).toContain('the inputs do not fit green.loop.yaml (2 issues)');
  const wrong = await (await machine()).run('run', 'green.loop.yaml', '--input', 'issue=x', '--dry-run');
  expect([wrong.code, wrong.err[0]]).toEqual([2, expect.stringContaining('input/wrong-type')]);
});

test('T-22: an agent that is not installed is told with what installs it, exit 5; a fallback that is there will do', async () => {
  const run = async (agent: unknown, ...agents: object[]) => {
    await writeFile(join(cwd, 'other.loop.yaml'), definition({ agent, inputs: {}, task: 'Do it.' }));
    const { code, out, err } = await (await machine(agents)).run('run', 'other.loop.yaml', '--dry-run');
    return { code, err: err.join('\n'), agents: code === 0 ? Told.parse(JSON.parse(out[0] ?? '')).agents : null };
  };
  const missing = await run('codex', agentFound('codex', false), agentFound('claude', true));
  expect(missing).toEqual({ code: 5, agents: null, err: expect.stringContaining('agent/not-found') });
  expect(missing.err).toContain('npm install -g codex');
  const fallback = { name: 'codex', fallback: ['claude'] };
  expect(await run(fallback, agentFound('codex', false), agentFound('claude', true))).toMatchObject({
    code: 0,
    agents: ['claude'],
  });
  expect(await run('auto', agentFound('codex', true, 'no'), agentFound('pi', true, 'unknown'))).toMatchObject({
    code: 0,
    agents: ['pi'],
  });
  expect(await run('auto', agentFound('codex', true, 'no'))).toMatchObject({
    code: 5,
    err: expect.stringContaining('no agent is installed and signed in'),
  });
});

test('T-22: a base that is not there is told before anything else is asked, exit 5', async () => {
  await writeFile(join(cwd, 'based.loop.yaml'), definition({ inputs: {}, task: 'x', workspace: { base: 'nope' } }));
  const { code, err } = await (await machine()).run('run', 'based.loop.yaml', '--dry-run');
  expect([code, err[0]]).toEqual([5, expect.stringContaining('The base "nope" is no branch, tag or commit')]);
});

test('E-27: where loops are switched off, a run and a dry run tell it, exit 5', async () => {
  const server = await startScriptedServer();
  const off = problem(403, 'server/loops-off', 'Loops are switched off on this server.');
  server.on('POST /v1/runs', off);
  server.on('POST /v1/plans', off);
  for (const flags of [[], ['--dry-run']]) {
    const cli = await machine();
    const { code, err } = await cli.run(
      'run',
      'green.loop.yaml',
      '--server',
      server.url,
      '--input',
      'issue=1',
      ...flags,
    );
    expect([code, err[0]]).toEqual([5, expect.stringContaining('Loops are switched off on this server.')]);
  }
  expect(server.received.map(({ path }) => path)).toEqual(['/v1/runs', '/v1/plans']);
  await server.stop();
});

test('a dialect that is named counts where no server answers, too: in a dry run, and before a stack is started', async () => {
  for (const flags of [['--dry-run'], []]) {
    const { code, err } = await (await machine()).run('run', 'green.loop.yaml', '--dialect', 'nope', ...flags);
    expect([code, err[0]]).toEqual([2, expect.stringContaining('dialect/unknown')]);
  }
});

test('T-22: a folder that is not there, in which the run would work itself, is told, exit 5', async () => {
  const steps = [{ id: 'test', run: 'make test' }];
  await writeFile(join(cwd, 'dag.yaml'), JSON.stringify({ working_dir: join(cwd, 'nowhere'), steps }));
  const { code, err } = await (await machine()).run('run', 'dag.yaml', '--dry-run');
  expect([code, err[0]]).toEqual([5, expect.stringContaining('nowhere is no folder (workspace/not-a-repository)')]);
});
