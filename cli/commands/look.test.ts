import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, problem, type ScriptedServer, startScriptedServer, text } from '#cli/testing/scripted-server.ts';
import { listed, runId, shown, stream, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

const ofRun = `GET /v1/runs/${runId}`;

let cwd: string;
let server: ScriptedServer;
let cli: ScriptedContext;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  server = await startScriptedServer();
  cli = scriptedContext({ cwd, environment: { url: server.url } });
  server.on(ofRun, json(shown(succeeded)));
  server.on(`${ofRun}/events`, (received, response) => {
    const isStream = received.headers.accept === 'text/event-stream';
    const answer = isStream ? stream(twoPasses) : json({ events: twoPasses, ended: true });
    answer(received, response);
  });
});

afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

test.each(['runs', 'list'])('%s is a table over every page, with the filters that were given', async (command) => {
  server.on('GET /v1/runs', (received, response) => {
    const first = !received.path.includes('cursor=');
    json({ runs: [listed(succeeded)], ...(first ? { cursor: 'next' } : {}) })(received, response);
  });
  const { code, out } = await cli.run(command, '--status', 'ended', '--project', 'web');
  expect(code).toBe(0);
  expect(out[0]).toMatch(/^RUN +STATE +PASSES/);
  expect(out[1]).toMatch(new RegExp(`^${runId} +succeeded +2 +0.25 USD +default`));
  expect(server.received.map(({ path }) => path)).toEqual([
    '/v1/runs?status=ended&project=web',
    '/v1/runs?status=ended&project=web&cursor=next',
  ]);
});

test('E2, E-26: runs tells below a run why it does not move and what clears it; --json is each run whole', async () => {
  const stands = { passes: 1, spendUsd: 0, seq: 4 };
  const runs = [
    listed({ ...stands, status: 'paused', why: 'It has spent 5 USD', remedy: 'raise the limit' }),
    listed({ ...stands, status: 'waiting', why: 'It waits for a person.', task: 'task_1' }),
    listed({ ...stands, status: 'queued', why: 'It waits for a host.' }),
    listed({ ...stands, status: 'paused', why: 'Asked to.' }),
    listed({ ...stands, status: 'running' }),
    listed(succeeded),
  ];
  server.on('GET /v1/runs', json({ runs }));
  const { out } = await cli.run('runs');
  expect(
    out.slice(1).map(
      (line) =>
        line
          .trim()
          .replace(new RegExp(`^${runId} +`), '')
          .split('  ')[0],
    ),
  ).toEqual([
    'paused',
    '└ It has spent 5 USD. To clear it: raise the limit',
    'waiting',
    '└ It waits for a person. To clear it: setpoint approve task_1',
    'queued',
    '└ It waits for a host.',
    'paused',
    `└ Asked to. To clear it: setpoint resume ${runId}`,
    'running',
    'succeeded',
  ]);
  cli.out.length = 0;
  expect((await cli.run('runs', '--json')).out.map((line) => JSON.parse(line) as unknown)).toEqual(runs);
});

test.each(['show', 'inspect'])('%s tells the last pass only, and the state', async (command) => {
  const { code, out } = await cli.run(command, runId);
  expect(code).toBe(0);
  expect(out).toContain('  ✓ work · tests: exit 0');
  expect(out).not.toContain('  ✗ work · tests: 1 of 2 tests failed');
  expect(out).toContain('✓ succeeded after 2 passes, 0.25 USD');
});

test('show says why a run does not move and what clears it (E2)', async () => {
  const why = { why: 'spent 5 USD', remedy: 'raise the limit' };
  server.on(ofRun, json(shown({ status: 'paused', passes: 1, spendUsd: 5, seq: 4, ...why })));
  const { out } = await cli.run('show', runId);
  expect(out).toContain('  why       spent 5 USD');
  expect(out).toContain('  remedy    raise the limit');
  expect(out.slice(-2)).toEqual([`  go on     setpoint resume ${runId}`, `  or end it setpoint cancel ${runId}`]);
});

test('E2: a remedy that is a command stands alone: resuming is refused before it', async () => {
  const why = { why: 'used up', remedy: `setpoint raise ${runId} --passes 3` };
  server.on(ofRun, json(shown({ status: 'paused', passes: 1, spendUsd: 5, seq: 4, ...why })));
  const { out } = await cli.run('show', runId);
  expect(out.slice(-2)).toEqual([
    `  remedy    setpoint raise ${runId} --passes 3`,
    `  or end it setpoint cancel ${runId}`,
  ]);
});

test('E2: show of a run that waits for a person gives the commands that decide', async () => {
  const why = 'It waits for a person: Ship it?';
  server.on(ofRun, json(shown({ status: 'waiting', why, task: 'task_1', passes: 1, spendUsd: 0, seq: 4 })));
  const { out } = await cli.run('show', runId);
  expect(out.slice(-4)).toEqual([
    `  why       ${why}`,
    '  approve   setpoint approve task_1',
    '  reject    setpoint reject task_1',
    '  push back setpoint push-back task_1 --message "what is to change"',
  ]);
});

test('show of a running run says what it does now, and for how long', async () => {
  const begun = twoPasses.slice(0, 12).map(({ seq, event }) => ({ seq, event: { ...event, at: Date.now() - 12_000 } }));
  const summary = { status: 'running', passes: 2, spendUsd: 0, seq: 12 } as const;
  const shownAfter = async (events: number): Promise<string[]> => {
    server.on(ofRun, json(shown({ ...summary, seq: events })));
    server.on(`${ofRun}/events`, json({ events: begun.slice(0, events), ended: true }));
    cli.out.length = 0;
    return (await cli.run('show', runId)).out;
  };
  const works = await shownAfter(10);
  expect(works.at(-2)).toMatch(/^▶ work pass 2, for 1\d s$/);
  expect(works.at(-1)).toBe(`  go on     setpoint watch ${runId}`);
  expect(works.join('\n')).not.toContain('is running');
  expect((await shownAfter(12)).at(-2)).toMatch(/^▶ work pass 2 checks, for 1\d s$/);
});

test('show --json is the answer of the server as it came', async () => {
  const { out } = await cli.run('show', runId, '--json');
  expect(JSON.parse(out[0] ?? '')).toEqual(shown(succeeded));
});

test('watch tells a run from its start and ends as the run did', async () => {
  const { code, err } = await cli.run('watch', runId);
  expect(code).toBe(0);
  expect(err[0]).toBe(`run ${runId} started`);
});

test('logs prints the output of every attempt, or of the pass that was named', async () => {
  server.on(`${ofRun}/output`, (received, response) => {
    text(`output of ${new URL(received.path, server.url).searchParams.get('pass')}\n`)(received, response);
  });
  await cli.run('logs', runId);
  expect(cli.out).toEqual(['output of 1\n', 'output of 2\n']);
  expect(cli.err).toEqual(['── work pass 1 ──', '── work pass 2 ──']);
  cli.out.length = 0;
  await cli.run('logs', runId, '--pass', '2');
  expect(cli.out).toEqual(['output of 2\n']);
});

test('logs of a pass that there is not ends with 2 and a remedy', async () => {
  const { code, err } = await cli.run('logs', runId, '--pass', '9');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain(`setpoint show ${runId}`);
});

test.each([[[]], [['-f']]])('logs of a step that there is not %j names those that there are, exit 2', async (flags) => {
  const { code, err } = await cli.run('logs', runId, '--step', 'nope', ...flags);
  expect(code).toBe(2);
  expect(err[0]).toBe(`setpoint: ${runId} has no step nope; its steps are work`);
});

test('logs -f prints each byte once, by ranges', async () => {
  const whole = 'first ↺ second\n';
  server.on(`${ofRun}/output`, (received, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(received.headers.range ?? '')?.[1] ?? 0);
    const bytes = Buffer.from(whole).subarray(from);
    if (bytes.length === 0) return problem(416, 'http/range-not-satisfiable', 'nothing more')(received, response);
    // At most seven bytes an answer: the second cut goes through a character.
    response.writeHead(from > 0 ? 206 : 200).end(bytes.subarray(0, 7));
  });
  const { code } = await cli.run('logs', runId, '-f', '--pass', '1');
  expect(code).toBe(0);
  expect(cli.out.join('')).toBe(whole);
});

test('diff prints the patch as it is', async () => {
  const patch = 'diff --git a/x b/x\n+new\n';
  server.on(`${ofRun}/diff`, text(patch));
  const { out } = await cli.run('diff', runId, '--pass', '1');
  expect(out).toEqual([patch]);
  expect(server.received[0]?.path).toBe(`/v1/runs/${runId}/diff?pass=1`);
});

test('a refusal names its cause, its code and the remedy, exit 2', async () => {
  server.on(`POST /v1/runs/${runId}/retry`, problem(409, 'run/refused', 'It still runs.', { remedy: 'Cancel it.' }));
  const { code, err } = await cli.run('retry', runId);
  expect(code).toBe(2);
  expect(err).toEqual(['setpoint: It still runs. (run/refused)', '  remedy: Cancel it.']);
});

test('a missing token is named with its remedy, exit 5', async () => {
  server.on(ofRun, problem(401, 'http/unauthorized', 'No token.'));
  const { code, err } = await cli.run('show', runId);
  expect(code).toBe(5);
  expect(err.join('\n')).toContain('SETPOINT_TOKEN');
});

test('an address that is none is wrong usage, exit 2', async () => {
  const { code, err } = await cli.run('runs', '--server', 'example:4747');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('http://host:port');
});

test('an answer of another version is told as such, exit 5', async () => {
  server.on(ofRun, json({ runId }));
  const { code, err } = await cli.run('show', runId);
  expect(code).toBe(5);
  expect(err.join('\n')).toContain('same version');
});
