import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { compileText } from '#dialects/parse.ts';

import { demoDefinition } from '#cli/demo/demo-files.ts';
import { createDemoRepository } from '#cli/demo/demo-repository.ts';
import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { runId, shown, stream, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

const codex = [{ name: 'codex', installed: true, version: '1.2.3', signedIn: 'yes', path: '/bin/codex' }];

let cwd: string;
let server: ScriptedServer;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-demo-test-'));
  server = await startScriptedServer();
  server.on('POST /v1/runs', json({ runId, warnings: [] }, 201));
  server.on(`GET /v1/runs/${runId}/events`, stream(twoPasses));
  server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
});

afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

async function withAgents(agents: unknown, answer?: string): Promise<ScriptedContext> {
  await writeFile(join(cwd, 'agents.mjs'), `console.log(${JSON.stringify(JSON.stringify(agents))})`);
  return scriptedContext({
    cwd,
    environment: { url: server.url },
    entries: { 'workers/agents.js': join(cwd, 'agents.mjs') },
    ...(answer === undefined ? {} : { interactive: true, answer }),
  });
}

function definitionSent(): string {
  return (JSON.parse(server.received[0]?.body ?? '') as { source: string }).source;
}

/** `node --test` as a check runs it: without the marks of the runner that this test itself runs in. */
function failingTests(folder: string): number {
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], { cwd: folder, env });
  return Number(/^# fail (\d+)$/m.exec(stdout.toString())?.[1]);
}

test('the repository is one clean commit, made without any git identity', async () => {
  const folder = await createDemoRepository(cwd, {});
  expect(folder).toBe(join(cwd, 'setpoint-demo-1'));
  const git = (...argv: string[]): string => execFileSync('git', ['-C', folder, ...argv], { encoding: 'utf8' }).trim();
  expect(git('rev-list', '--count', 'HEAD')).toBe('1');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('branch', '--show-current')).toBe('main');
  expect(await createDemoRepository(cwd, {})).toBe(join(cwd, 'setpoint-demo-2'));
});

test('two tests fail at first, one after the first pass of the scripted agent, none after the second', async () => {
  const folder = await createDemoRepository(cwd, {});
  const compiled = compileText({ text: demoDefinition(undefined), file: 'demo.loop.yaml' });
  if ('issues' in compiled) throw new TypeError(JSON.stringify(compiled.issues));
  const work = compiled.plan.steps[0]?.work;
  const passes = work?.kind === 'agent' ? (work.agent.scripted?.passes ?? []) : [];
  const failing = [failingTests(folder)];
  for (const pass of passes) {
    execFileSync('bash', ['-c', pass], { cwd: folder });
    failing.push(failingTests(folder));
  }
  expect(failing).toEqual([2, 1, 0]);
});

test('the definition of the demo has no issue and no warning, with a real agent too', () => {
  for (const agent of [undefined, 'codex']) {
    expect(compileText({ text: demoDefinition(agent), file: 'demo.loop.yaml' })).toMatchObject({ warnings: [] });
  }
});

test('without any agent the scripted one works, and it is said; the end names the branch and what to do', async () => {
  const { code, err } = await (await withAgents([])).run('demo');
  expect(code).toBe(0);
  expect(err).toContain('No coding agent was found here: a scripted agent stands in for one.');
  expect(err.join('\n')).toContain(`git -C setpoint-demo-1 merge setpoint/${runId}`);
  expect(definitionSent()).toBe(await readFile(join(cwd, 'setpoint-demo-1', 'demo.loop.yaml'), 'utf8'));
  expect(definitionSent()).toContain('name: scripted');
});

test('an agent that is there is offered: on a terminal by a question, else by a hint', async () => {
  const asked = await (await withAgents(codex, 'y')).run('demo');
  expect(asked.err.join('\n')).toContain('codex is installed. Let it do the demo?');
  expect(definitionSent()).toContain('agent: codex\n');
  server.received.length = 0;
  const told = await (await withAgents(codex)).run('demo');
  expect(told.err.join('\n')).toContain('setpoint demo --agent codex');
  expect(definitionSent()).toContain('name: scripted');
});

test('--agent and --dir are taken as they are', async () => {
  await (await withAgents([])).run('demo', '--agent', 'pi', '--dir', 'here');
  expect(definitionSent()).toContain('agent: pi\n');
  expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ overrides: { repo: join(cwd, 'here') } });
});

test('a folder that holds something is not touched, exit 2', async () => {
  const { code, err } = await (await withAgents([])).run('demo', '--dir', '.');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('is not empty');
});

test('agents are a table, with what to type where one is missing', async () => {
  const missing = { name: 'pi', installed: false, signedIn: 'unknown', remedy: 'npm i -g pi' };
  const { code, out } = await (await withAgents([...codex, missing])).run('agents');
  expect(code).toBe(0);
  expect(out).toEqual([
    'AGENT  VERSION    SIGN-IN    WHERE',
    'codex  1.2.3      signed in  /bin/codex',
    'pi     not found  -          npm i -g pi',
  ]);
});
