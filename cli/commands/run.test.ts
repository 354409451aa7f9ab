import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { StopKind } from '#core/run/stop.ts';
import type { RunSummary } from '#core/run/summary.ts';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, problem, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { runId, sendFrames, shown, stream, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

const definition = 'task: Mend it.\nagent: codex\nchecks: [npm test]\n';
const outcome = {
  runId,
  status: 'ended',
  stop: 'succeeded',
  passes: 2,
  commit: 'c'.repeat(40),
  branch: `setpoint/${runId}`,
  pullRequest: null,
  spend: 0.25,
  delivery: 'branch',
};

let cwd: string;
let server: ScriptedServer;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  await writeFile(join(cwd, 'green.loop.yaml'), definition);
  server = await startScriptedServer();
  server.on('POST /v1/runs', json({ runId, warnings: [] }, 201));
  server.on(`GET /v1/runs/${runId}/events`, stream(twoPasses));
  server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
  server.on(`POST /v1/runs/${runId}/cancel`, json(shown(succeeded)));
});

afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

function scripted(options: { interactive?: boolean; entries?: Record<string, string> } = {}): ScriptedContext {
  return scriptedContext({ cwd, environment: { url: server.url, token: 'secret' }, ...options });
}

test('without a terminal, progress is on stderr and stdout is the outcome alone (T-26)', async () => {
  const { code, out, err } = await scripted().run('run', 'green.loop.yaml');
  expect(code).toBe(0);
  expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([outcome]);
  expect(err).toContain('  ✗ work · tests: 1 of 2 tests failed');
});

test('--json gives every event a line on stdout and the outcome as the last', async () => {
  const { out, err } = await scripted().run('run', 'green.loop.yaml', '--json');
  const lines = out.map((line) => JSON.parse(line) as { seq?: number; type?: string });
  expect(lines.slice(0, -1).map((line) => line.seq)).toEqual(twoPasses.map(({ seq }) => seq));
  expect(lines[0]).toMatchObject({ seq: 1, type: 'run.started' });
  expect(lines.at(-1)).toEqual(outcome);
  expect(err).toEqual([]);
});

test('--quiet silences progress and keeps the outcome (T-26)', async () => {
  const { out, err } = await scripted().run('run', 'green.loop.yaml', '--quiet');
  expect(err).toEqual([]);
  expect(out).toHaveLength(1);
});

test('in a terminal the closing summary names stop, passes, commit, branch and the diff', async () => {
  const { out } = await scripted({ interactive: true }).run('run', 'green.loop.yaml');
  expect(out.slice(-5)).toEqual([
    '✓ succeeded after 2 passes, 0.25 USD',
    `  commit    ${'c'.repeat(40)}`,
    `  branch    setpoint/${runId}`,
    `  look      setpoint diff ${runId}`,
    `  take it   git merge setpoint/${runId}`,
  ]);
});

test('the text, the inputs, the overrides and the folder are sent, under an idempotency key', async () => {
  const argv = ['--input', 'issue=4=2', '--input', 'b=', '--agent', 'pi', '--deliver', 'commit', '--no-worktree'];
  await scripted().run('run', 'green.loop.yaml', ...argv, '--key', 'k1', '--project', 'web');
  const [first] = server.received;
  expect(first?.headers).toMatchObject({ 'idempotency-key': 'k1', authorization: 'Bearer secret' });
  expect(JSON.parse(first?.body ?? '')).toEqual({
    source: definition,
    file: 'green.loop.yaml',
    inputs: { issue: '4=2', b: '' },
    project: 'web',
    overrides: { repo: cwd, agent: 'pi', deliver: 'commit', worktree: false },
  });
});

const stops: [StopKind, number][] = [
  ['succeeded', 0],
  ['failed', 1],
  ['rejected', 1],
  ['exhausted', 1],
  ['no_progress', 1],
  ['timed_out', 1],
  ['over_budget', 1],
  ['cancelled', 4],
  ['provider_error', 5],
  ['failed_to_start', 5],
  ['delivery_failed', 5],
];

test.each(stops)('a run that stops as %s ends the command with %i (E1)', async (kind, code) => {
  const summary: RunSummary = { ...succeeded, stop: { kind, reason: 'because' } };
  server.on(`GET /v1/runs/${runId}`, json(shown(summary)));
  expect((await scripted().run('run', 'green.loop.yaml')).code).toBe(code);
});

test('--detach starts the run, tells how to come back, and ends with 0', async () => {
  server.on(`GET /v1/runs/${runId}`, json(shown({ status: 'running', passes: 0, spendUsd: 0, seq: 1 })));
  const { code, out, err } = await scripted().run('run', 'green.loop.yaml', '--detach');
  expect(code).toBe(0);
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ runId, status: 'running', stop: null });
  expect(err.join('\n')).toContain(`setpoint watch ${runId}`);
});

test('--detach under a key that was used tells what became of its run', async () => {
  server.on('POST /v1/runs', json({ runId, warnings: [] }, 200));
  const argv = ['run', 'green.loop.yaml', '--detach', '--key', 'k1'];
  const first = await scripted().run(...argv);
  expect(first.code).toBe(0);
  expect(first.err.join('\n')).toContain(`The key k1 belongs to ${runId}, which has succeeded.`);
  expect(first.err.join('\n')).not.toMatch(/cancel|goes on/);
  server.on(`GET /v1/runs/${runId}`, json(shown({ status: 'running', passes: 0, spendUsd: 0, seq: 1 })));
  const second = (await scripted().run(...argv)).err.join('\n');
  expect(second).toContain(`The key k1 belongs to ${runId}, which is already running.`);
  expect(second).toContain(`setpoint watch ${runId}`);
});

test('a run that is found under its key is followed, and it is said that it is not new', async () => {
  server.on('POST /v1/runs', json({ runId, warnings: [] }, 200));
  const { code, err } = await scripted().run('run', 'green.loop.yaml', '--key', 'k1');
  expect(code).toBe(0);
  expect(err[0]).toBe(`The key k1 belongs to ${runId}, which was started before:`);
});

test('every issue of a broken definition is a line, exit 2', async () => {
  const issue = { path: 'chekcs', code: 'definition/unknown-key', message: 'unknown key', severity: 'error' };
  const issues = [
    { ...issue, line: 3, column: 1 },
    { ...issue, line: 1, column: 7 },
  ];
  server.on('POST /v1/runs', problem(422, 'definition/invalid', 'not valid', { issues }));
  const { code, err } = await scripted().run('run', 'green.loop.yaml');
  expect(code).toBe(2);
  expect(err.slice(0, 2)).toEqual([
    'green.loop.yaml:1:7 definition/unknown-key unknown key',
    'green.loop.yaml:3:1 definition/unknown-key unknown key',
  ]);
});

test('a server that is set and does not answer ends with 5 and starts nothing', async () => {
  await server.stop();
  const { code, err } = await scripted().run('run', 'green.loop.yaml');
  expect(code).toBe(5);
  expect(err.join('\n')).toContain(`no server answers at ${server.url}`);
  expect(err.join('\n')).toContain('remedy: ');
});

test.each([
  [['run'], "missing required argument 'file'"],
  [['run', './absent.yaml'], 'the definition ./absent.yaml cannot be read: there is no such file'],
  [['run', 'green.loop.yaml', '--input', 'novalue'], '--input novalue is not of the form name=value'],
  [['run', 'green.loop.yaml', '--input', 'a=1', '--input', 'a=2'], '--input a is given twice'],
  [['run', 'green.loop.yaml', '--deliver', 'merge'], 'Allowed choices are none, commit, branch.'],
  [['run', 'green.loop.yaml', '--detach', '--foreground'], 'exclude each other'],
  [['run', 'green.loop.yaml', '--detatch'], 'Did you mean --detach?'],
])('wrong usage %j ends with 2 and says what is wrong', async (argv, message) => {
  const { code, err } = await scripted().run(...argv);
  expect(code).toBe(2);
  expect(err.join('\n')).toContain(message);
  expect(server.received).toEqual([]);
});

test('Ctrl-C detaches: the run goes on and it is said how to come back', async () => {
  const cli = scripted();
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => {
    sendFrames(response, twoPasses.slice(0, 4));
    cli.interrupt();
  });
  const { code, err } = await cli.run('run', 'green.loop.yaml');
  expect(code).toBe(130);
  expect(err.at(-1)).toContain(`setpoint watch ${runId}`);
  expect(server.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
});

test('Ctrl-C while the run is handed over is acted on once the run has its id', async () => {
  const cli = scripted();
  server.on('POST /v1/runs', (received, response) => {
    cli.interrupt();
    json({ runId, warnings: [] }, 201)(received, response);
  });
  const { code, err } = await cli.run('run', 'green.loop.yaml');
  expect(code).toBe(130);
  expect(err.at(-1)).toContain(`setpoint watch ${runId}`);
});

test('Ctrl-C before a run could be started ends with 130 and says so', async () => {
  const cli = scripted();
  server.on('POST /v1/runs', (received, response) => {
    cli.interrupt();
    problem(503, 'store/unavailable', 'The database does not answer.')(received, response);
  });
  const { code, err } = await cli.run('run', 'green.loop.yaml');
  expect(code).toBe(130);
  expect(err.at(-1)).toContain('Interrupted before the run was started');
});

test('a connection that breaks while the run is handed over is tried again under the same key', async () => {
  server.on('POST /v1/runs', (received, response) => {
    const tries = server.received.filter(({ method }) => method === 'POST').length;
    if (tries === 1) response.destroy();
    else json({ runId, warnings: [] }, 201)(received, response);
  });
  expect((await scripted().run('run', 'green.loop.yaml')).code).toBe(0);
  const [first, second] = server.received.map(({ headers }) => headers['idempotency-key']);
  expect(first).toBeDefined();
  expect(second).toBe(first);
});

test('--foreground: Ctrl-C cancels the run and waits for its stop, exit 4 (T-23)', async () => {
  const cli = scripted();
  const stopped = {
    seq: 5,
    event: { type: 'run.stopped', at: 1, stop: { kind: 'cancelled', reason: 'asked' } },
  } as const;
  let finish: () => void = () => undefined;
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => {
    sendFrames(response, twoPasses.slice(0, 4));
    finish = () => {
      sendFrames(response, [stopped]);
      response.end();
    };
    cli.interrupt();
  });
  server.on(`POST /v1/runs/${runId}/cancel`, (received, response) => {
    json(shown(succeeded))(received, response);
    finish();
  });
  server.on(`GET /v1/runs/${runId}`, json(shown({ ...succeeded, stop: { kind: 'cancelled', reason: 'asked' } })));
  const { code, err } = await cli.run('run', 'green.loop.yaml', '--foreground');
  expect(code).toBe(4);
  expect(err).toContain('cancelled: asked');
});

test('--foreground: a second Ctrl-C detaches without waiting, and says so (T-23)', async () => {
  const cli = scripted();
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => {
    sendFrames(response, twoPasses.slice(0, 4));
    cli.interrupt();
  });
  server.on(`POST /v1/runs/${runId}/cancel`, () => cli.interrupt());
  const { code, err } = await cli.run('run', 'green.loop.yaml', '--foreground');
  expect(code).toBe(130);
  expect(err.at(-1)).toMatch(/^Detached: nobody has answered yet that run_01hsample is cancelled; it may go on\./);
});

test('--no-wait ends with 3 when the run waits for a person', async () => {
  const paused = { type: 'run.paused', at: 1, code: 'limit/spend', reason: 'spent', remedy: 'raise it' } as const;
  server.on(`GET /v1/runs/${runId}/events`, (_received, response) => {
    sendFrames(response, [...twoPasses.slice(0, 4), { seq: 5, event: paused }]);
  });
  const summary: RunSummary = { status: 'paused', why: 'spent', remedy: 'raise it', passes: 1, spendUsd: 5, seq: 5 };
  server.on(`GET /v1/runs/${runId}`, json(shown(summary)));
  const { code, out } = await scripted().run('run', 'green.loop.yaml', '--no-wait');
  expect(code).toBe(3);
  expect(JSON.parse(out[0] ?? '')).toMatchObject({ status: 'paused', stop: null });
});
