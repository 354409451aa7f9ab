import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { type Answer, json, problem, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { runId, shown, stream, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

/** A process that says what the stack's program says, and keeps how it was called. */
const standIn = (lines: readonly unknown[], exitCode = 0): string => `
import { appendFileSync } from 'node:fs';
appendFileSync(new URL('./called.jsonl', import.meta.url), JSON.stringify(process.argv.slice(2)) + '\\n');
console.log('noise of a library');
for (const line of ${JSON.stringify(lines)}) console.log(JSON.stringify(line));
process.exitCode = ${exitCode};
`;

let cwd: string;
let home: string;
let server: ScriptedServer;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  home = join(cwd, '.setpoint');
  await mkdir(home);
  await writeFile(join(home, 'token'), 'secret\n');
  await writeFile(join(cwd, 'green.loop.yaml'), 'task: Mend it.\nagent: codex\nchecks: [npm test]\n');
  server = await startScriptedServer();
  server.on('POST /v1/runs', json({ runId, warnings: [] }, 201));
  server.on(`GET /v1/runs/${runId}/events`, stream(twoPasses));
  server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
});

afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

async function withStack(program: string): Promise<ScriptedContext> {
  await writeFile(join(cwd, 'stack.mjs'), program);
  return scriptedContext({ cwd, entries: { 'workers/stack.js': join(cwd, 'stack.mjs') } });
}

async function calls(): Promise<string[][]> {
  const text = await readFile(join(cwd, 'called.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as string[]);
}

async function stackFile(url: string): Promise<void> {
  const stack = { version: 1, url, home, tokenFile: join(home, 'token') };
  await writeFile(join(home, 'stack.json'), JSON.stringify(stack));
}

const ready = (): unknown => ({ event: 'ready', url: server.url, home, tokenFile: join(home, 'token') });

test('on a warm stack the run is posted at once and no program is started', async () => {
  await stackFile(server.url);
  const { code } = await (await withStack(standIn([]))).run('run', 'green.loop.yaml');
  expect(code).toBe(0);
  expect(server.received[0]?.headers.authorization).toBe('Bearer secret');
  expect(await calls()).toEqual([]);
});

test('where nothing answers, the stack is started, and it is said how to stop it', async () => {
  const dead = await startScriptedServer();
  await dead.stop();
  await stackFile(dead.url);
  const program = standIn([{ event: 'progress', message: 'starting postgres' }, ready()]);
  const { code, err } = await (await withStack(program)).run('run', 'green.loop.yaml');
  expect(code).toBe(0);
  expect(await calls()).toEqual([['up', '--home', home, '--json']]);
  expect(err).toContain('  starting postgres');
  expect(err.join('\n')).toContain('`setpoint down` stops it');
});

const others: [string, Answer][] = [
  ['the stack of another home', problem(401, 'http/unauthorized', 'The token is not the one of this server.')],
  ['no Setpoint', (_received, response) => void response.writeHead(404).end('<h1>no</h1>')],
];

test.each(others)('where %s answers by now, our stack is started', async (_what, answer) => {
  const other = await startScriptedServer();
  other.on('POST /v1/runs', answer);
  await stackFile(other.url);
  const { code } = await (await withStack(standIn([ready()]))).run('run', 'green.loop.yaml');
  expect(code).toBe(0);
  expect(await calls()).toEqual([['up', '--home', home, '--json']]);
  await other.stop();
});

test('a broken definition starts no stack: every issue is told, exit 2', async () => {
  await writeFile(join(cwd, 'broken.loop.yaml'), 'task: Mend it.\nagent: codex\nchekcs: [npm test]\n');
  const { code, err } = await (await withStack(standIn([ready()]))).run('run', 'broken.loop.yaml');
  expect(code).toBe(2);
  expect(err.join('\n')).toMatch(/^broken\.loop\.yaml:3:1 \S+ .*chekcs/m);
  expect(await calls()).toEqual([]);
  expect(server.received).toEqual([]);
});

test('a stack that cannot be started ends with 5 and its cause', async () => {
  const program = standIn([{ event: 'error', code: 'stack/temporal-unavailable', message: 'no Temporal found' }], 5);
  const { code, err } = await (await withStack(program)).run('run', 'green.loop.yaml');
  expect(code).toBe(5);
  expect(err.join('\n')).toContain('no Temporal found (stack/temporal-unavailable)');
});

test('a stack program that dies without an answer is told with its last words', async () => {
  const program = 'console.error("out of memory"); process.exit(134);';
  const { code, err } = await (await withStack(program)).run('up', '--detach');
  expect(code).toBe(5);
  expect(err.join('\n')).toContain('exit code 134');
  expect(err.join('\n')).toContain('out of memory');
});

test('up --detach starts the stack and returns', async () => {
  const { code, out } = await (await withStack(standIn([ready()]))).run('up', '--detach');
  expect(code).toBe(0);
  expect(out[0]).toContain(server.url);
});

test('down stops the stack of the home', async () => {
  await stackFile(server.url);
  const { code, out } = await (await withStack(standIn([{ event: 'stopped', home }]))).run('down');
  expect(code).toBe(0);
  expect(out[0]).toContain('is stopped');
  expect(await calls()).toEqual([['down', '--home', home, '--json']]);
});

test('down where there never was a stack says so, exit 0', async () => {
  const { code, out } = await (await withStack(standIn([{ event: 'stopped', home }]))).run('down');
  expect(code).toBe(0);
  expect(out).toEqual([`no stack was ever started here (${home})`]);
});

const heads: [string, [role: string, pid: number | null, state: string][], string][] = [
  [
    'a supervisor that was killed',
    [
      ['supervisor', 7, 'gone'],
      ['postgres', 8, 'running'],
      ['api', 9, 'running'],
      ['host', 10, 'gone'],
    ],
    'the supervisor is gone, 2 processes are left; `setpoint up` takes them over',
  ],
  [
    'a process that starts again',
    [
      ['supervisor', 7, 'running'],
      ['host', null, 'restarting'],
    ],
    'not ready: host is restarting',
  ],
  [
    'a reboot',
    [
      ['supervisor', 7, 'gone'],
      ['api', 9, 'gone'],
    ],
    'not running; `setpoint up` starts it',
  ],
  [
    'a down',
    [
      ['supervisor', null, 'stopped'],
      ['api', null, 'stopped'],
    ],
    'not running; `setpoint up` starts it',
  ],
];

test.each(heads)('status after %s says what is left and what to do', async (_what, rows, head) => {
  const processes = rows.map(([role, pid, state]) => ({ role, pid, state, since: '2030-01-01T00:00:00.000Z' }));
  const status = { event: 'status', up: false, url: server.url, home, processes };
  const { code, out } = await (await withStack(standIn([status]))).run('status');
  expect(code).toBe(5);
  expect(out[0]).toBe(head);
});

test('status --json is {url, home, processes}, and its exit code tells whether the stack is up', async () => {
  const since = '2030-01-01T00:00:00.000Z';
  const processes = [{ role: 'api', pid: 7, state: 'running', since }];
  const up = { event: 'status', up: true, url: server.url, home, processes };
  const first = await (await withStack(standIn([up]))).run('status', '--json');
  expect(first.code).toBe(0);
  expect(JSON.parse(first.out[0] ?? '')).toEqual({ url: server.url, home, processes });
  const second = await (await withStack(standIn([{ ...up, up: false }]))).run('status', '--json');
  expect(second.code).toBe(5);
});

test('status --config shows each setting with its source', async () => {
  const settings = [{ name: 'SETPOINT_PORT', value: '4747', source: 'default' }];
  const status = { event: 'status', up: false, url: null, home, processes: [] };
  const { code, out } = await (
    await withStack(standIn([{ event: 'settings', settings }, status]))
  ).run('status', '--config');
  expect(code).toBe(0);
  expect(out).toEqual(['SETPOINT_PORT  4747  default']);
  expect((await calls())[0]?.slice(0, 2)).toEqual(['status', '--config']);
});

test('a look at runs without a stack names the ways out, exit 5', async () => {
  const { code, err } = await (await withStack(standIn([]))).run('runs');
  expect(code).toBe(5);
  expect(err.join('\n')).toContain('setpoint up');
});

test('a dry run compiles and checks the git base, and creates nothing (T-22)', async () => {
  const cli = await withStack(standIn([ready()]));
  const { code, err } = await cli.run('run', 'green.loop.yaml', '--dry-run');
  expect(code).toBe(5);
  expect(err[0]).toMatch(/ is not inside a git repository with a checkout .*\(workspace\/not-a-repository\)$/);
  expect(await calls()).toEqual([]);
});

test('a dry run in a repository without a commit, or without the base, says what the run would say', async () => {
  await promisify(execFile)('git', ['init', '-q', cwd]);
  const cli = await withStack(standIn([ready()]));
  expect((await cli.run('run', 'green.loop.yaml', '--dry-run')).err[0]).toContain(
    'has no commit on its current branch',
  );
  await writeFile(
    join(cwd, 'based.loop.yaml'),
    'task: Mend it.\nagent: codex\nchecks: [npm test]\nworkspace: { base: nope }\n',
  );
  cli.err.length = 0;
  const { code, err } = await cli.run('run', 'based.loop.yaml', '--dry-run');
  expect(code).toBe(5);
  expect(err.join('\n')).toContain('The base "nope" is no branch, tag or commit of');
});
