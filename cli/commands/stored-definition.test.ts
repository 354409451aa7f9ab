import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, problem, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { runId, shown, stream, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

const source = 'task: Mend it.\nagent: codex\nchecks: [npm test]\n';
const createdAt = '2030-03-17T17:46:40.000Z';
const stored = { project: 'web', name: 'green', version: 1, dialect: 'native', createdBy: 'ada', createdAt, source };

let cwd: string;
let server: ScriptedServer;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  server = await startScriptedServer();
  server.on('GET /v1/definitions/green', json(stored));
  server.on('POST /v1/runs', json({ runId, warnings: [] }, 201));
  server.on(`GET /v1/runs/${runId}/events`, stream(twoPasses));
  server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
});
afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

const run = (...argv: string[]) => scriptedContext({ cwd, environment: { url: server.url } }).run('run', ...argv);
const started = () => {
  const post = server.received.find(({ method }) => method === 'POST');
  return JSON.parse(post?.body ?? '') as unknown;
};

test('a word that is no file is the name of a stored definition', async () => {
  const { code } = await run('green', '--project', 'web', '--input', 'n=1');
  expect(code).toBe(0);
  expect(server.received[0]?.path).toBe('/v1/definitions/green?project=web');
  expect(started()).toEqual({ name: 'green', project: 'web', inputs: { n: '1' }, overrides: { repo: cwd } });
});

test('a file wins over a stored definition of its name; a folder does not', async () => {
  await mkdir(join(cwd, 'green'));
  await run('green');
  expect(started()).toMatchObject({ name: 'green' });
  await rm(join(cwd, 'green'), { recursive: true });
  await writeFile(join(cwd, 'green'), 'task: Of the file.\n');
  server.received.length = 0;
  await run('green');
  expect(started()).toMatchObject({ source: 'task: Of the file.\n', file: 'green' });
});

test('a word that is neither is told as both, and nothing is started', async () => {
  server.on('GET /v1/definitions/gren', problem(404, 'definition/not-found', 'No such definition.'));
  const { code, err } = await run('gren');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('gren is neither a file here nor the name of a stored definition');
  expect(err.join('\n')).toContain('setpoint definitions');
  expect(server.received.map(({ method }) => method)).toEqual(['GET']);
});

test('a server that cannot tell is no answer: its trouble is told', async () => {
  server.on('GET /v1/definitions/green', problem(503, 'store/unavailable', 'The database does not answer.'));
  const { code, err } = await run('green');
  expect([code, err[0]]).toEqual([5, 'setpoint: The database does not answer. (store/unavailable)']);
});

test('where nothing answers, a word that is plainly a file starts no stack', async () => {
  const { port } = server;
  await server.stop();
  await mkdir(join(cwd, '.setpoint'));
  const stack = { url: `http://127.0.0.1:${port}`, tokenFile: join(cwd, '.setpoint/token') };
  await writeFile(join(cwd, '.setpoint/stack.json'), JSON.stringify(stack));
  const { code, err } = await scriptedContext({ cwd }).run('run', 'gren.loop.yaml');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('gren.loop.yaml is neither a file here');
});
