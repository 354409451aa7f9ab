import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostDeps } from '#activities/host-deps.ts';
import type { StepPlan } from '#core/plan/plan.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { HostRun, repositoryOf } from '../test/fakes/host-run.ts';
import { plan, scriptedAgent, step } from '../test/fakes/plans.ts';
import { withHost } from '../test/integration/with-host.ts';
import { type TestDatabase, withPostgres } from '../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;
let host: HostDeps;
let runs = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-around-')));
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  host = withHost({ folder, database, hostId: 'one' });
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(files: Record<string, string>, envFiles: string[] = [], deps = host): Promise<HostRun> {
  const runId = `run_${++runs}`;
  const repo = repositoryOf(join(folder, `repo-${runId}`), files);
  const workspace = { ...plan([step('work')]).workspace, repo, envFiles };
  return HostRun.open(deps, database, { runId, change: { workspace } });
}

const command = (text: string): Pick<StepPlan, 'work'> => ({ work: { kind: 'run', command: text } });
const excerptOf = async (run: Promise<{ output: { excerpt: string } }>) => (await run).output.excerpt.trimEnd();

describe('D-01: env of a step', () => {
  test('D-01: values are templates, inserted as they are, for attempts, checks and conditions', async () => {
    const run = await open({ file: '' });
    const { sha256, bytes } = await host.artifacts.putText('it\'s "$HOME" {{inputs.x}}\n');
    const scope = { ...run.scope, inputs: { x: 'of the input' }, outputs: { plan: { sha256, bytes, excerpt: '' } } };
    const env = { A: 'x={{inputs.x}}', B: '{{steps.plan.output}}' };
    const told = 'x=of the input|it\'s "$HOME" {{inputs.x}}';
    expect(await excerptOf(run.attempt({ ...command('printf "%s|%s" "$A" "$B"'), env }, { scope }))).toBe(told);
    expect((await run.check('test "$A" = "x=of the input"', { env, scope }))?.kind).toBe('pass');
    expect(await run.condition('test "$A" = "x=of the input" && echo met', { env, scope })).toMatchObject({
      kind: 'met',
    });
    const agent = { work: scriptedAgent(['printf "%s" "$A"']), env };
    expect(await excerptOf(run.attempt(agent, { scope }))).toBe('x=of the input');
  });

  test('D-24: a condition has the secrets that the plan grants the step', async () => {
    const grant = async () => [{ name: 'A_TOKEN', value: 'abcdef123' }];
    const secrets = { ...host.secrets, grant };
    const run = await open({ file: '' }, [], { ...host, secrets });
    const condition = 'test "$A_TOKEN" = abcdef123 && echo met';
    expect(await run.condition(condition, { secrets: ['A_TOKEN'] })).toMatchObject({ kind: 'met' });
  });
});

describe('D-01: the folder in which a step starts', () => {
  test('D-01: command, agent and condition start in `directory`', async () => {
    const run = await open({ 'web/app/file': '' });
    const directory = 'web/app';
    expect(await excerptOf(run.attempt({ ...command('pwd'), directory }))).toBe(`${run.place.path}/web/app`);
    expect(await excerptOf(run.attempt({ work: scriptedAgent(['pwd']), directory }))).toBe(`${run.place.path}/web/app`);
    expect(await run.condition('test -e file && echo met', { directory })).toMatchObject({ kind: 'met' });
  });

  test('a folder that is not there fails the attempt with the remedy, and is an error of a condition (D-16)', async () => {
    const run = await open({ file: '' });
    const failed = await run.attempt({ ...command('true'), directory: 'web' });
    expect(failed.end).toEqual({
      kind: 'failed',
      reason: expect.stringContaining('The folder web, where it is to start'),
    });
    expect(failed.feedback?.excerpt).toContain('Make it, or correct `directory`');
    expect(await run.condition('echo met', { directory: 'web' })).toMatchObject({ kind: 'error' });
    // C-13: the words of the next pass can name the cause.
    const told = await run.condition('echo met', { directory: 'web', tell: true });
    const cause = await host.artifacts.readText(told.found?.stderr.sha256 ?? '');
    expect(cause).toContain('The folder web, where it is to start, is not in the workspace');
    expect((await run.attempt({ ...command('true'), directory: 'file' })).end).toMatchObject({
      reason: expect.stringContaining('no folder'),
    });
  });

  test('a link that leads outside is refused; one that stays inside is followed', async () => {
    const run = await open({ 'web/file': '' });
    symlinkSync('/etc', join(run.place.path, 'out'));
    symlinkSync('web', join(run.place.path, 'in'));
    const outside = await run.attempt({ ...command('touch here'), directory: 'out' });
    expect(outside.end).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('leads outside the workspace'),
    });
    expect(await excerptOf(run.attempt({ ...command('pwd -P'), directory: 'in' }))).toBe(`${run.place.path}/web`);
  });
});

describe('D-14: files of variables', () => {
  test('D-14: dotenv files are read before each attempt and condition: above what is inherited, under the plan’s own', async () => {
    const files = { '.env': 'A=file # why\nB="two\\nlines"\nexport CI=no\nP=${A}\n', 'more.env': 'A=later\n' };
    const run = await open(files, ['.env', 'missing.env', 'more.env']);
    const shown = { ...command('printf "%s;" "$A" "$B" "$C" "$CI" "$P"'), env: { C: 'plan' } };
    expect(await excerptOf(run.attempt(shown))).toBe('later;two\nlines;plan;no;${A};');
    expect(await excerptOf(run.attempt({ ...shown, env: { A: 'plan' } }))).toContain('plan;two');
    writeFileSync(join(run.place.path, 'more.env'), 'A=changed\n');
    expect(await run.condition('test "$A" = changed && echo met')).toMatchObject({ kind: 'met' });
    const agent = { work: scriptedAgent(['printf "%s" "$A"']) };
    expect(await excerptOf(run.attempt(agent))).toBe('changed');
    expect((await run.check('test -z "$A"'))?.kind).toBe('pass');
  });

  test('such a file sets no name of ours, of the loader, nor PATH and HOME; the attempt says so', async () => {
    const text = 'SETPOINT_X=1\nLD_PRELOAD=/x\nPATH=/nowhere\nHOME=/root\nOK=yes\n';
    const run = await open({ '.env': text }, ['.env']);
    const result = await run.attempt(command('printf "%s" "$OK$SETPOINT_X$LD_PRELOAD"; ls >/dev/null'));
    expect([result.end.kind, result.output.excerpt]).toEqual(['ok', 'yes']);
    expect(result.findings).toEqual(['env_ignored: .env may not set SETPOINT_X, LD_PRELOAD, PATH, HOME']);
  });

  test('a link that leads outside is refused, and a folder or a huge file is no such file', async () => {
    const run = await open({ file: '' }, ['.env']);
    const path = join(run.place.path, '.env');
    writeFileSync(join(folder, 'secret'), 'KEY=of the host');
    symlinkSync(join(folder, 'secret'), path);
    expect((await run.attempt(command('env'))).end).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('leads outside'),
    });
    expect(await run.condition('echo met')).toMatchObject({
      kind: 'error',
      reason: expect.stringContaining('leads outside'),
    });
    rmSync(path);
    mkdirSync(path);
    expect((await run.attempt(command('env'))).end).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('no plain file'),
    });
    rmSync(path, { recursive: true });
    writeFileSync(path, `A=${'x'.repeat(300 * 1024)}`);
    expect((await run.attempt(command('env'))).end).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('256 KiB'),
    });
  });
});
