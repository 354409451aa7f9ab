import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PersonPut } from '#core/contract/library.ts';
import { tools } from '#mcp/tools.ts';
import { connectMcp, type McpClient } from '../integration/mcp-client.ts';
import { loopOf } from '../integration/steered-runs.ts';
import type { Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';

const program = fileURLToPath(new URL('../../bin/setpoint.js', import.meta.url));

let stack: TestStack;
let repository: Repository;
let mcp: McpClient;
const told: string[] = [];

/** `setpoint mcp` as a host starts it: in the folder of the project. */
async function connect(...flags: string[]): Promise<McpClient> {
  const args = [program, 'mcp', ...flags];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd: repository.path,
    env: { ...stack.env },
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => told.push(chunk.toString()));
  return connectMcp(transport);
}

beforeAll(async () => {
  stack = await sharedStack();
  repository = stack.repository();
  mcp = await connect('--project', 'agents');
});
afterAll(() => mcp.close());

const called = new Set<string>();
const call = (name: string, input: object = {}) => {
  called.add(name);
  return mcp.call(name, input);
};
const done = async (name: string, input: object = {}) => {
  const answer = await call(name, input);
  if (answer.isError) throw new TypeError(`${name}: ${answer.texts.join(' ')}`);
  return answer.json;
};
const confirmed = async (name: string, input: object) => {
  const asked = await done(name, input);
  expect(asked).toMatchObject({ done: false, confirm: expect.any(String) });
  return done(name, { ...input, confirm: asked['confirm'] });
};
const fieldOf = (value: unknown, name: string): string =>
  String(Object.entries(value ?? {}).find(([key]) => key === name)?.[1]);
const startOf = async (definition: object): Promise<string> =>
  fieldOf((await confirmed('start_run', { definition }))['run'], 'runId');
/** Asks until the run has ended, as an agent does. */
const ended = async (runId: string): Promise<Readonly<Record<string, unknown>>> => {
  for (;;) {
    const run = await done('read_run', { runId, waitSeconds: 30 });
    if (run['status'] === 'ended') return run;
  }
};

test('E-24: by stdio a loop is checked, started, followed to its end and read, in the folder of the host and its project', async () => {
  const definition = loopOf({ passes: ['echo one > result', 'echo two >> result'], check: 'grep two result' });
  expect(await done('validate_definition', { definition })).toMatchObject({ name: 'Loop', project: 'agents' });
  const runId = await startOf(definition);
  expect(await ended(runId)).toMatchObject({ stop: { kind: 'succeeded' }, project: 'agents' });
  expect((await call('read_feedback', { runId, pass: 2 })).texts.at(-1)).toContain('grep two result');
  expect((await call('read_diff', { runId })).texts.at(-1)).toContain('+two');
  expect((await call('read_output', { runId, pass: 1 })).isError).toBe(false);
  const { events } = await done('list_events', { runId });
  expect(events).toEqual(expect.arrayContaining([expect.objectContaining({ seq: 1 })]));
  expect(await done('list_runs', { project: 'agents' })).toMatchObject({ runs: [{ runId }] });
  const fork = fieldOf((await confirmed('fork_run', { runId, step: 'work', pass: 1 }))['run'], 'runId');
  expect(await ended(fork)).toMatchObject({ stop: { kind: 'succeeded' }, forkedFrom: { runId } });
  const retried = await call('retry_run', { runId });
  expect([retried.isError, retried.json['code']]).toEqual([true, 'run/succeeded']);
});

test('E-24: a run that asks is read, pushed back, paused, resumed and approved', async () => {
  const definition = {
    name: 'Asks',
    steps: {
      work: { run: 'echo "please approve this yourself"' },
      agree: { person: { ask: 'Ship it?', show: ['steps.work.output'] }, after: 'work', loop: { to: 'work' } },
    },
    deliver: 'none',
  };
  const runId = await startOf(definition);
  await stack.cli(['watch', runId, '--no-wait', '--quiet']);
  const { tasks } = await done('list_tasks', { run: runId, mine: true });
  const taskId = fieldOf(Array.isArray(tasks) ? tasks[0] : undefined, 'taskId');
  const task = await done('read_task', { taskId });
  expect(task).toMatchObject({ asked: 'Ship it?', revision: 1, state: 'open' });
  const [shown] = Array.isArray(task['shown']) ? task['shown'] : [];
  const sha256 = fieldOf(Object.entries(shown).find(([key]) => key === 'content')?.[1], 'sha256');
  expect((await call('read_artifact', { sha256 })).texts.at(-1)).toContain('please approve this yourself');
  await done('pause_run', { runId });
  expect((await call('resume_run', { runId, confirm: 'yes' })).json).toMatchObject({ code: 'confirmation/unknown' });
  await confirmed('resume_run', { runId });
  await confirmed('decide_task', { taskId, decision: 'push_back', message: 'Once more.' });
  await stack.cli(['watch', runId, '--no-wait', '--quiet']);
  expect(await done('read_task', { taskId })).toMatchObject({ revision: 2 });
  expect(await confirmed('decide_task', { taskId, decision: 'approve' })).toMatchObject({ done: true });
  expect(await ended(runId)).toMatchObject({ stop: { kind: 'succeeded' } });
});

test('E-24: a run at its limit is edited, raised, pushed back, retried and cancelled; definitions and labels are kept', async () => {
  const check = 'test -e more';
  const limits = { passes: 2, time: '10m', noProgress: 0 };
  const definition = loopOf({ passes: ['date +%N > result'], check, change: { limits, onExhausted: 'pause' } });
  const runId = await startOf(definition);
  expect((await stack.cli(['watch', runId, '--no-wait', '--quiet'])).code).toBe(3);
  expect(await done('read_run', { runId })).toMatchObject({
    status: 'paused',
    remedy: expect.stringContaining('raise'),
  });
  expect((await call('read_run_definition', { runId })).texts.at(-1)).toContain(check);
  expect((await call('push_back_run', { runId, step: 'nowhere', message: 'x' })).json).toMatchObject({
    code: 'step/not-found',
  });
  expect(await done('raise_run', { runId, passes: 5 })).toMatchObject({
    done: false,
    wouldHappen: { loops: [{ step: 'work', limit: 4 }] },
  });
  const source = JSON.stringify({ ...definition, checks: ['test -e result'], limits: { ...limits, passes: 4 } });
  await confirmed('edit_run', { runId, source });
  await done('cancel_run', { runId, reason: 'enough' });
  expect(await ended(runId)).toMatchObject({ stop: { kind: 'cancelled' } });
  await confirmed('retry_run', { runId });
  expect(await ended(runId)).toMatchObject({ stop: { kind: 'succeeded' } });
  expect(await done('store_definition', { name: 'kept', source })).toMatchObject({ project: 'agents', version: 1 });
  expect(await done('list_definitions', { project: 'agents' })).toMatchObject({ definitions: [{ name: 'kept' }] });
  expect((await call('read_definition', { name: 'kept', project: 'agents' })).texts.at(-1)).toContain('test -e result');
  expect(await done('source_off', { label: 'mcp' })).toMatchObject({ source: { on: false } });
  await confirmed('source_on', { label: 'mcp' });
  expect(await done('list_sources')).toMatchObject({
    sources: expect.arrayContaining([expect.objectContaining({ label: 'mcp', on: true })]),
  });
  expect(tools.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
});

test('E-24: with the token of a person they are who acts; another one finds no door', async () => {
  const put = await stack.call('/v1/people/eve', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ teams: [], newToken: true }),
  });
  const { token = '' } = PersonPut.parse(await put.json());
  const eve = await connect('--token', token);
  const definition = loopOf({ passes: ['touch result'], check: 'test -e result' });
  const { json } = await eve.confirmed('start_run', { definition });
  expect(json['run']).toMatchObject({ createdBy: 'eve', project: 'default' });
  await eve.close();
  const refused = await stack.cli(['mcp', '--token', 'wrong'], { cwd: repository.path });
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([5, '', expect.stringContaining('http/unauthorized')]);
});

test('E-24: without a server it says so and ends with 5; when its input ends, it ends with 0 and has written nothing', async () => {
  const away = await stack.cli(['mcp', '--server', 'http://127.0.0.1:1'], { cwd: repository.path });
  expect([away.code, away.stdout, away.stderr]).toEqual([5, '', expect.stringContaining('no server answers')]);
  expect(await stack.cli(['mcp'], { cwd: repository.path })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(told).toEqual([]);
});
