import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { TaskDecided, type TaskListed, TaskShown } from '#core/contract/tasks.ts';
import type { RunSummary } from '#core/run/summary.ts';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, problem, type ScriptedServer, startScriptedServer, text } from '#cli/testing/scripted-server.ts';
import { listed, runId } from '#cli/testing/sample-run.ts';

const taskId = 'task_01hsample.ready';
const openedAt = new Date(Date.now() - 7_500_000).toISOString();

const task: TaskListed = {
  taskId,
  runId,
  runName: 'Green tests',
  project: 'default',
  step: 'ready',
  pass: 2,
  revision: 2,
  state: 'open',
  asked: 'Ship it?',
  who: ['team:web'],
  notAuthor: false,
  quorum: 2,
  approvals: 1,
  reminders: 0,
  openedAt,
  updatedAt: openedAt,
};
const shown: TaskShown = TaskShown.parse({
  ...task,
  ask: { text: 'Ship it?\nReally?' },
  shown: [
    {
      name: 'plan.md',
      content: { sha256: 'a'.repeat(64), bytes: 90_000, excerpt: `the plan\n${'more\n'.repeat(20)}` },
      url: `/v1/artifacts/${'a'.repeat(64)}`,
    },
  ],
  form: {
    type: 'object',
    properties: {
      count: { type: 'integer', default: 2 },
      risk: { enum: ['low', 'high'], description: 'of a rollback' },
    },
    required: ['risk'],
    additionalProperties: false,
  },
  backTo: ['implement', 'plan'],
  commit: 'c'.repeat(40),
  decisions: [
    {
      decision: 'approve',
      by: 'ada',
      at: openedAt,
      comment: 'Fine.',
      form: { risk: 'low' },
      final: false,
      text: { content: { sha256: 'b'.repeat(64), bytes: 5, excerpt: 'Fine.' }, url: '/v1/artifacts/b' },
    },
  ],
  mayDecide: 'yes',
});

let cwd: string;
let server: ScriptedServer;
let cli: ScriptedContext;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  server = await startScriptedServer();
  cli = scriptedContext({ cwd, environment: { url: server.url }, interactive: true });
  server.on('GET /v1/tasks', json({ tasks: [task] }));
  server.on(`GET /v1/tasks/${taskId}`, json(shown));
  const ofTask = 'GET /v1/tasks/';
  for (const beginning of ['01hs', 'task_01hs']) {
    server.on(`${ofTask}${beginning}`, problem(404, 'task/not-found', 'There is no such task.'));
  }
});

afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

const stands: RunSummary = { status: 'running', passes: 2, spendUsd: 0, seq: 9 };

function decides(change: Partial<TaskShown> = {}, summary: RunSummary = stands, status = 200): void {
  const answer = TaskDecided.parse({ decisionId: 'd', task: { ...shown, ...change }, run: listed(summary) });
  server.on(`POST /v1/tasks/${taskId}/decisions`, json(answer, status));
}

const sent = (): unknown => {
  const { decisionId: _, ...body } = JSON.parse(server.received.at(-1)?.body ?? '{}') as Record<string, unknown>;
  return body;
};

test('tasks is a table of the open ones, with the filters that were given; --json is one a line', async () => {
  const { code, out } = await cli.run('tasks', '--mine', '--run', runId, '--project', 'web');
  expect(code).toBe(0);
  expect(out[0]).toMatch(/^TASK +ASKED +RUN +WAITS +WHO$/);
  expect(out[1]).toMatch(new RegExp(`^${taskId} +Ship it\\? +Green tests +2 h 5 min +team:web \\(1 of 2\\)$`));
  expect(server.received[0]?.path).toBe(`/v1/tasks?state=open&run=${runId}&mine=true&project=web&limit=500`);
  cli.out.length = 0;
  expect((await cli.run('tasks', '--all', '--json')).out.map((line) => JSON.parse(line) as unknown)).toEqual([task]);
  expect(server.received[1]?.path).toBe('/v1/tasks?limit=500');
});

test('no open tasks is no failure', async () => {
  server.on('GET /v1/tasks', json({ tasks: [] }));
  const { code, err } = await cli.run('tasks');
  expect([code, err]).toEqual([0, ['No open tasks. `setpoint tasks --all` lists those of the past, too.']]);
});

test('D6: tasks show tells what is asked, what is beside it, the form, and commands that name the revision', async () => {
  const { code, out } = await cli.run('tasks', 'show', taskId);
  expect(code).toBe(0);
  const told = out.join('\n');
  for (const part of [
    `${taskId} (open)`,
    `run ${runId} (Green tests), step ready, pass 2, asked 2 times, commit cccccccccccc`,
    'decided by team:web; 1 of 2 have approved; open for 2 h 5 min',
    'Ship it?\nReally?',
    '  │ the plan\n  │ more',
    '  └ 90000 bytes in all: --whole "plan.md"',
    '  risk: "low" | "high", required (of a rollback)\n  count: integer, default 2',
    'ada approved: Fine. (others are still to answer)',
    `approve    setpoint approve ${taskId} --revision 2 --set risk=…`,
    `push back  setpoint push-back ${taskId} --revision 2 --message "what is to change" [--to plan]  (goes to implement)`,
  ]) {
    expect(told).toContain(part);
  }
  cli.out.length = 0;
  expect(JSON.parse((await cli.run('tasks', 'show', taskId, '--json')).out[0] ?? '')).toEqual(shown);
});

test('what is shown is printed whole by its name', async () => {
  server.on(`GET /v1/artifacts/${'a'.repeat(64)}`, text('all of the plan\n'));
  expect((await cli.run('tasks', 'show', taskId, '--whole', 'plan.md')).out).toEqual(['all of the plan\n']);
  cli.out.length = 0;
  expect((await cli.run('tasks', 'show', taskId, '--whole', 'question')).out).toEqual(['Ship it?\nReally?\n']);
  const { code, err } = await cli.run('tasks', 'show', taskId, '--whole', 'gone');
  expect([code, err.at(-1)]).toEqual([2, '  remedy: name one of: "question", "plan.md"']);
});

test.each(['01hs', 'task_01hs', runId])('a task is found by %s', async (named) => {
  const { code, out } = await cli.run('tasks', 'show', named);
  expect([code, out[0]]).toEqual([0, `${taskId} (open)`]);
  const query = named === runId ? `run=${runId}&state=open` : 'q=task_01hs';
  expect(server.received.map(({ path }) => path)).toContain(`/v1/tasks?${query}`);
});

test('a name of several tasks, or of none, decides nothing', async () => {
  server.on('GET /v1/tasks', json({ tasks: [task, { ...task, taskId: 'task_01hsample.other' }] }));
  const several = await cli.run('approve', runId);
  expect([several.code, several.err.join('\n')]).toEqual([2, expect.stringContaining('task_01hsample.other')]);
  server.on('GET /v1/tasks', json({ tasks: [] }));
  for (const named of [runId, 'task_01hs']) expect((await cli.run('approve', named)).code).toBe(2);
  expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
});

test('approve sends the form, by its types, and the revision that was read; one line says what follows', async () => {
  decides({ state: 'decided', approvals: 2 });
  const { code, out } = await cli.run('approve', taskId, '--set', 'risk=low', '--set', 'count=3', '--message', 'Good.');
  expect(code).toBe(0);
  expect(sent()).toEqual({ decision: 'approve', message: 'Good.', form: { risk: 'low', count: 3 }, revision: 2 });
  expect(out).toEqual([`Approved. ${runId} is running. Follow it: setpoint watch ${runId}`]);
});

test('D5: an approval that does not decide alone says so', async () => {
  decides({ approvals: 1 }, { ...stands, status: 'waiting', why: 'It waits for a person: Ship it?', task: taskId });
  const { out } = await cli.run('complete', taskId, '--set', 'risk=low');
  expect(out[0]).toMatch(/^Approved by 1 of 2; others are still to answer\. .*It waits for a person/);
});

test('push-back names a step and takes a form from a file; --set wins', async () => {
  decides({ state: 'decided' });
  await writeFile(join(cwd, 'form.json'), '{"risk": "low", "count": 1}');
  const flags = ['--form', 'form.json', '--set', 'risk=high', '--to', 'plan', '--message', 'No.', '--revision', '1'];
  expect((await cli.run('push-back', taskId, ...flags)).out[0]).toMatch(/^Pushed back\. /);
  const form = { risk: 'high', count: 1 };
  expect(sent()).toEqual({ decision: 'push_back', message: 'No.', to: 'plan', form, revision: 1 });
  await writeFile(join(cwd, 'form.json'), '[1]');
  expect((await cli.run('reject', taskId, '--form', 'form.json')).code).toBe(2);
  expect((await cli.run('reject', taskId, '--form', 'gone.json')).err.join('\n')).toContain('gone.json');
});

test('D-09, D-10: a push back with a form of its own is shown with it, and takes it by --set', async () => {
  const pushBackForm = {
    type: 'object',
    properties: { section: { type: 'string' }, lines: { type: 'integer' } },
    required: ['section'],
    additionalProperties: false,
  };
  server.on(`GET /v1/tasks/${taskId}`, json({ ...shown, pushBackForm }));
  const told = (await cli.run('tasks', 'show', taskId)).out.join('\n');
  expect(told).toContain('form of a push back\n  section: string, required\n  lines: integer');
  expect(told).toContain(`push-back ${taskId} --revision 2 --set section=… --message`);
  decides({ state: 'decided' });
  await cli.run('push-back', taskId, '--set', 'section=intro', '--set', 'lines=3');
  expect(sent()).toEqual({ decision: 'push_back', form: { section: 'intro', lines: 3 }, revision: 2 });
  expect((await cli.run('push-back', taskId, '--set', 'risk=low')).code).toBe(2);
});

test('without a terminal the state of the run is JSON on stdout, and the line on stderr', async () => {
  cli = scriptedContext({ cwd, environment: { url: server.url } });
  decides({ state: 'decided' }, { ...stands, status: 'ended', stop: { kind: 'rejected', reason: 'no' } });
  const { code, out, err } = await cli.run('reject', taskId);
  expect([code, JSON.parse(out[0] ?? '')]).toEqual([0, expect.objectContaining({ runId, stop: 'rejected' })]);
  expect(err).toEqual([`Rejected. ${runId} has ended: rejected. Look at it: setpoint show ${runId}`]);
});

test('decision 12: an answer that no worker has judged yet is told as that', async () => {
  decides({}, stands, 202);
  expect((await cli.run('approve', taskId, '--set', 'risk=low')).out[0]).toContain('no worker has answered yet');
});

test('a refusal tells cause and remedy, and ends with 2', async () => {
  const more = { remedy: 'Look at it again.' };
  server.on(`POST /v1/tasks/${taskId}/decisions`, problem(409, 'task/reopened', 'It was asked again since.', more));
  const { code, err } = await cli.run('approve', taskId, '--revision', '1');
  expect([code, err]).toEqual([
    2,
    ['setpoint: It was asked again since. (task/reopened)', '  remedy: Look at it again.'],
  ]);
});

test('a value of another type names its field, and nothing is sent', async () => {
  const { code, err } = await cli.run('approve', taskId, '--set', 'count=many');
  expect([code, err.join('\n')]).toEqual([2, expect.stringContaining('count must be a whole number')]);
  expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
});

test('push-back --step is for runs, and takes nothing of a task', async () => {
  for (const flags of [
    ['--to', 'plan'],
    ['--set', 'a=b'],
    ['--form', 'x'],
    ['--revision', '1'],
  ]) {
    expect((await cli.run('push-back', runId, '--step', 'work', '--message', 'No.', ...flags)).code).toBe(2);
  }
  expect((await cli.run('push-back', runId, '--step', 'work')).err.join('\n')).toContain('give --message');
  server.on(`POST /v1/runs/${runId}/push-back`, json(listed(stands)));
  expect((await cli.run('push-back', runId, '--step', 'work', '--message', 'No.')).code).toBe(0);
});
