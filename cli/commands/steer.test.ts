import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { RunSummary } from '#core/run/summary.ts';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { listed, runId, shown, stream, succeeded, twoPasses } from '#cli/testing/sample-run.ts';
import { json, problem, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';

const paused: RunSummary = {
  status: 'paused',
  why: 'Paused by ada: look first.',
  remedy: `setpoint resume ${runId}`,
  passes: 1,
  spendUsd: 0,
  seq: 4,
};
const running: RunSummary = { status: 'running', passes: 1, spendUsd: 0, seq: 5 };
const source = 'task: Mend it.\nagent: codex\nchecks: [npm test]\n';

let cwd: string;
let server: ScriptedServer;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  server = await startScriptedServer();
});
afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

function cli(more: { interactive?: boolean; editor?: string } = {}): ScriptedContext {
  const { interactive = true, editor } = more;
  const environment = { url: server.url, ...(editor === undefined ? {} : { editor }) };
  return scriptedContext({ cwd, environment, interactive });
}

const bodySent = (at = -1): unknown => JSON.parse(server.received.at(at)?.body ?? '');

describe('E3: pause, resume, cancel, retry, raise', () => {
  test.each(['pause', 'resume', 'cancel'])('%s hands the request over with an id of its own (D2)', async (action) => {
    server.on(`POST /v1/runs/${runId}/${action}`, json(shown(paused)));
    const { code, out } = await cli().run(action, runId, '--reason', 'look first');
    expect(code).toBe(0);
    expect(bodySent()).toEqual({ reason: 'look first', messageId: expect.any(String) });
    expect(out).toEqual([`${runId} is paused: Paused by ada: look first. To clear it: setpoint resume ${runId}`]);
  });

  test('without a terminal stdout is the state alone, and the line is on stderr', async () => {
    server.on(`POST /v1/runs/${runId}/resume`, json(shown(running)));
    const { out, err } = await cli({ interactive: false }).run('resume', runId);
    expect(out.map((line) => JSON.parse(line))).toMatchObject([{ runId, status: 'running', stop: null }]);
    expect(err).toEqual([`${runId} is running. Follow it: setpoint watch ${runId}`]);
  });

  test('what no worker has answered yet is said to be stored', async () => {
    server.on(`POST /v1/runs/${runId}/pause`, json(shown(running), 202));
    expect((await cli().run('pause', runId)).out[0]).toContain('it is stored, and no worker has answered yet');
  });

  test('a refusal names its cause, its code and the remedy, exit 2', async () => {
    const detail = 'What paused it still holds.';
    const remedy = `setpoint raise ${runId} --passes 8`;
    server.on(`POST /v1/runs/${runId}/resume`, problem(409, 'run/cause-holds', detail, { remedy }));
    const { code, err } = await cli().run('resume', runId);
    expect([code, err]).toEqual([2, [`setpoint: ${detail} (run/cause-holds)`, `  remedy: ${remedy}`]]);
  });

  test('retry names the step to begin at, or the only one; not both', async () => {
    server.on(`POST /v1/runs/${runId}/retry`, json(shown(running)));
    await cli().run('retry', runId, '--from', 'implement');
    expect(bodySent()).toMatchObject({ from: 'implement' });
    await cli().run('retry', runId, '--only', 'test');
    expect(bodySent()).toMatchObject({ only: 'test' });
    expect((await cli().run('retry', runId, '--only', 'a', '--from', 'b')).code).toBe(2);
    expect(server.received).toHaveLength(2);
  });

  test('raise sends times and money as they were typed, and asks nobody without a limit', async () => {
    server.on(`POST /v1/runs/${runId}/raise`, json(shown(running)));
    const limits = ['--passes', '8', '--step', 'work', '--time', '2h', '--deadline', '3d', '--spend', '10 USD'];
    expect((await cli().run('raise', runId, ...limits)).code).toBe(0);
    expect(bodySent()).toMatchObject({ passes: 8, step: 'work', time: '2h', deadline: '3d', spend: '10 USD' });
    expect((await cli().run('raise', runId)).code).toBe(2);
    expect(server.received).toHaveLength(1);
  });
});

describe('E3: edit', () => {
  const route = `POST /v1/runs/${runId}/edit`;
  const definition = `GET /v1/runs/${runId}/definition`;

  test('a file is sent as it is', async () => {
    await writeFile(join(cwd, 'green.loop.yaml'), source);
    server.on(route, json(shown(running)));
    expect((await cli().run('edit', runId, 'green.loop.yaml')).code).toBe(0);
    expect(bodySent()).toMatchObject({ source, file: 'green.loop.yaml' });
  });

  test('every issue is a line with its place, exit 2', async () => {
    await writeFile(join(cwd, 'green.loop.yaml'), 'task: x\n');
    const issues = [
      { path: 'agent', code: 'agent/unknown', message: 'no such agent', severity: 'error', line: 2, column: 1 },
    ];
    server.on(route, problem(422, 'definition/invalid', 'agent: no such agent', { issues }));
    const { code, err } = await cli().run('edit', runId, 'green.loop.yaml');
    expect(code).toBe(2);
    expect(err[0]).toMatch(/^green\.loop\.yaml:2:1 /);
  });

  test('without a file the present definition is opened in the editor, and what was saved is sent', async () => {
    server.on(definition, json({ source, file: 'loops/green.loop.yaml' }));
    server.on(route, json(shown(running)));
    const { code } = await cli({ editor: `sh -c 'echo "# changed" >> "$0"'` }).run('edit', runId);
    expect(code).toBe(0);
    expect(bodySent()).toMatchObject({
      source: `${source}# changed\n`,
      file: expect.stringMatching(/green\.loop\.yaml$/),
    });
  });

  test('an editor that changes nothing sends nothing; one that fails says so', async () => {
    server.on(definition, json({ source }));
    const same = await cli({ editor: 'true' }).run('edit', runId);
    expect([same.code, same.err]).toEqual([0, ['Nothing was changed.']]);
    expect((await cli({ editor: 'false' }).run('edit', runId)).err[0]).toContain('the editor (false) ended with 1');
    expect(server.received.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('what was typed is kept when it is refused', async () => {
    server.on(definition, json({ source, file: 'green.loop.yaml' }));
    server.on(route, problem(409, 'edit/not-allowed', '`workspace` cannot change.', { remedy: 'Leave it.' }));
    const { code, err } = await cli({ editor: `sh -c 'echo changed > "$0"'` }).run('edit', runId);
    expect(code).toBe(2);
    const path = /setpoint edit \S+ (\S+)$/.exec(err.join('\n'))?.[1] ?? '';
    expect(await readFile(path, 'utf8')).toBe('changed\n');
    await rm(join(path, '..'), { recursive: true });
  });

  test('without a terminal it says how; --print prints the present one', async () => {
    server.on(definition, json({ source }));
    const { code, err } = await cli({ interactive: false }).run('edit', runId);
    expect([code, err[1]]).toEqual([2, expect.stringContaining(`setpoint edit ${runId} --print > edited.loop.yaml`)]);
    expect((await cli({ interactive: false }).run('edit', runId, '--print')).out).toEqual([source]);
  });
});

describe('T-22: resume with another definition', () => {
  const edit = `POST /v1/runs/${runId}/edit`;
  const resume = `POST /v1/runs/${runId}/resume`;
  const run = (...argv: string[]) => cli().run('resume', runId, '--task', 'green.loop.yaml', ...argv);
  const sent = () => server.received.map(({ path }) => path.split('/').at(-1));

  beforeEach(async () => {
    await writeFile(join(cwd, 'green.loop.yaml'), source);
    server.on(edit, json(shown(paused)));
    server.on(resume, json(shown(running)));
  });

  test('T-22: it is a new revision of the plan, and then the run goes on', async () => {
    const { code, out } = await run('--reason', 'more tests');
    expect([code, sent()]).toEqual([0, ['edit', 'resume']]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ source, file: 'green.loop.yaml' });
    expect(bodySent()).toMatchObject({ reason: 'more tests' });
    expect(out).toEqual([`${runId} is running. Follow it: setpoint watch ${runId}`]);
  });

  test('T-22: a definition that is what the run has already only resumes it', async () => {
    server.on(edit, problem(409, 'edit/unchanged', 'Nothing would change.'));
    expect([(await run()).code, sent()]).toEqual([0, ['edit', 'resume']]);
  });

  test('T-22: what may not be changed is refused, and nothing is resumed', async () => {
    server.on(edit, problem(409, 'edit/not-allowed', '`workspace` cannot change.', { remedy: 'Leave it.' }));
    expect([(await run()).code, sent()]).toEqual([2, ['edit']]);
  });

  test('T-22: a run that may not go on says that its definition is changed, with the remedy', async () => {
    server.on(resume, problem(409, 'run/cause-holds', 'It still holds.', { remedy: 'Raise it.' }));
    const { code, err } = await run();
    expect([code, err]).toEqual([
      2,
      [
        'setpoint: the definition is changed, and the run does not go on: It still holds. (run/cause-holds)',
        '  remedy: Raise it.',
      ],
    ]);
  });

  test('T-22: a file that is not there sends nothing', async () => {
    expect((await cli().run('resume', runId, '--task', 'none.yaml')).code).toBe(2);
    expect(server.received).toEqual([]);
  });
});

describe('E8: fork', () => {
  const forked = { ...listed(succeeded), runId: 'run_01hfork' };

  test('--detach prints the new id', async () => {
    server.on(`POST /v1/runs/${runId}/fork`, json(forked, 201));
    const { code, out } = await cli().run('fork', runId, '--at', 'a:b:2', '--name', 'Other', '--detach');
    expect([code, out]).toEqual([0, ['run_01hfork']]);
    expect(bodySent()).toMatchObject({ step: 'a:b', pass: 2, name: 'Other' });
  });

  test('it is followed to its end', async () => {
    server.on(`POST /v1/runs/${runId}/fork`, json(forked, 201));
    server.on('GET /v1/runs/run_01hfork/events', stream(twoPasses));
    server.on('GET /v1/runs/run_01hfork', json({ ...shown(succeeded), runId: 'run_01hfork' }));
    const { code, err } = await cli({ interactive: false }).run('fork', runId, '--at', 'work:1');
    expect(code).toBe(0);
    expect(err[0]).toBe(`run_01hfork goes on from ${runId} after work:1:`);
  });

  test.each(['work', 'work:0', ':1', 'work:x'])('--at %s is wrong usage', async (at) => {
    expect((await cli().run('fork', runId, '--at', at)).code).toBe(2);
    expect(server.received).toEqual([]);
  });
});

describe('E-19: source', () => {
  const off = { label: 'from issues', on: false, changedBy: 'ada', changedAt: '2030-03-17T17:46:40.000Z' };

  test('a label is switched, and what that means is said', async () => {
    server.on('PUT /v1/sources/from%20issues', json(off));
    const { code, out } = await cli().run('source', 'off', 'from issues');
    expect([code, bodySent()]).toEqual([0, { on: false }]);
    expect(out[0]).toContain('begin no other');
  });

  test('those that were ever switched are listed', async () => {
    server.on('GET /v1/sources', json({ sources: [off] }));
    expect((await cli().run('source', 'list')).out[1]).toMatch(/^from issues +off +ada +2030-03-17 17:46:40$/);
  });
});
