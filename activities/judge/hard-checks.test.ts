import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CheckPlan, CheckPlanOf, HardCheck } from '#core/check/check-plan.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { AttemptInput, JudgeInput } from '#core/contract/activities.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { attempt } from '#activities/attempt/attempt.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { judge } from '#activities/judge/judge.ts';
import { openWorkspace } from '#activities/workspace/open-workspace.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';
import { asEngineTask } from '../../test/fakes/engine-task.ts';
import { commandCheck, plan, scriptedAgent, step } from '../../test/fakes/plans.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;
let host: HostDeps;
let runs = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-hard-')));
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

function repository(files: Record<string, string>): string {
  const repo = join(folder, `repo-${++runs}`);
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  for (const [path, content] of Object.entries(files)) write(repo, path, content);
  const git = ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', [...git, 'add', '.']);
  execFileSync('git', [...git, 'commit', '-q', '-m', 'base']);
  return repo;
}

function write(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

interface Opened {
  deps: HostDeps;
  input: Pick<AttemptInput, 'workspace' | 'scope'> & { runId: string };
}

async function open(repo: string, deps: HostDeps = host): Promise<Opened> {
  const runId = `run_${runs}`;
  const workspace = { ...plan([step('work')]).workspace, repo, worktree: true };
  await createRunStore(database).start({ runId, bodySha256: runId, plan: plan([step('work')]), inputs: {} });
  const { path, base } = await asEngineTask(1, () => openWorkspace(deps, { runId, workspace }));
  if (base === undefined) throw new TypeError('a worktree has a base');
  const scope = { inputs: {}, outputs: {}, feedback: [], iteration: 0, run: { id: runId, name: 'x' } };
  return { deps, input: { runId, scope, workspace: { plan: workspace, path, base } } };
}

/** One pass of an agent that runs a shell script, and what it leaves. */
function works(
  { deps, input }: Opened,
  script: string,
  { checks = [], pass = 1, ...change }: Partial<AttemptInput> & { checks?: CheckPlan[]; pass?: number } = {},
): Promise<AttemptResult> {
  const { runId, ...rest } = input;
  const reports = [...new Set(checks.flatMap((check) => (check.kind === 'report' ? [check.file] : [])))];
  return asEngineTask(1, () =>
    attempt(deps, {
      key: { runId, step: 'work', pass, attempt: 1 },
      step: step('work', { work: scriptedAgent([script]), checks }),
      ...(rest.workspace.base === undefined ? {} : { from: rest.workspace.base }),
      restore: false,
      resume: false,
      brief: { pass, passLimit: 2, checks: [] },
      ...(reports.length === 0 ? {} : { reportFiles: reports }),
      ...rest,
      ...change,
    }),
  );
}

async function judges(
  { deps, input }: Opened,
  worked: Pick<AttemptResult, 'snapshot' | 'reports'>,
  checks: HardCheck[],
  change: Partial<JudgeInput> = {},
): Promise<Verdict[]> {
  const rest = { restore: false, guard: false, step: 'work', pass: 1, round: ++runs, env: {}, ...input };
  const { snapshot, reports } = worked;
  const left = { ...(snapshot === undefined ? {} : { snapshot }), ...(reports === undefined ? {} : { reports }) };
  const { verdicts } = await asEngineTask(1, () => judge(deps, { checks, ...left, ...rest, ...change }));
  return verdicts.map(({ verdict }) => verdict);
}

const kinds = (verdicts: Verdict[]) => verdicts.map(({ kind }) => kind);
const hard = (name: string, change: Partial<CheckPlanOf<'command'>>): HardCheck => {
  const check = commandCheck(name, change);
  if (check.kind === 'review') throw new TypeError('a command check is hard');
  return check;
};
const report = (file: string, wants: CheckPlanOf<'report'>['wants']): CheckPlanOf<'report'> => ({
  kind: 'report',
  name: `${file} ${wants.kind}`,
  file,
  wants,
  needs: 'always',
  timeSeconds: 60,
});

describe('B7: reports of the agent', () => {
  const checks = [
    report('out/report.json', { kind: 'worklist' }),
    report('out/report.json', { kind: 'artifact', path: 'made.md' }),
    report('none.json', { kind: 'worklist' }),
  ];
  const writes = (text: string) => `mkdir -p out && printf '%s' '${text}' > out/report.json && echo made > made.md`;

  test('B7: they are judged, are no part of the snapshot, and are gone from the workspace', async () => {
    const run = await open(repository({ 'a.txt': 'a' }));
    const text = '{"loop": {"artifacts": ["./made.md"], "worklist": [{"task": "a", "done": true}]}}';
    const worked = await works(run, writes(text), { checks });
    const files = execFileSync('git', [
      '-C',
      run.input.workspace.path,
      'ls-tree',
      '-r',
      '--name-only',
      worked.snapshot?.commit ?? '',
    ]);
    expect(files.toString().trim().split('\n')).toEqual(['a.txt', 'made.md']);
    expect(existsSync(join(run.input.workspace.path, 'out/report.json'))).toBe(false);
    expect(kinds(await judges(run, worked, checks))).toEqual(['pass', 'pass', 'missing']);
  });

  test('B7, E-06: what an earlier pass or the base left is not there when a pass starts, and does not count', async () => {
    const run = await open(repository({ 'a.txt': 'a' }));
    write(run.input.workspace.path, 'out/report.json', '{"worklist": []}');
    const worked = await works(run, 'test ! -e out/report.json && echo made > made.md', { checks });
    expect(worked.end).toEqual({ kind: 'ok' });
    expect(worked.reports).toEqual({});
    expect(kinds(await judges(run, worked, checks))).toEqual(['missing', 'missing', 'missing']);
  });

  test('B7: a link is no report, and nothing of the host is read through it', async () => {
    const run = await open(repository({ 'a.txt': 'a' }));
    const worked = await works(run, 'mkdir out && ln -s /etc/passwd out/report.json && ln -s /etc none.json', {
      checks,
    });
    expect(worked.reports).toEqual({});
    expect(worked.findings).toEqual([
      'report_unreadable: out/report.json is no plain file',
      'report_unreadable: none.json is no plain file',
    ]);
    expect(existsSync('/etc/passwd')).toBe(true);
  });

  test('B7: an artifact that is listed and not in the judged work fails, and an open worklist names what is open', async () => {
    const run = await open(repository({ 'a.txt': 'a' }));
    const worked = await works(run, `${writes('{"artifacts": ["made.md"], "worklist": ["more"]}')}; rm made.md`, {
      checks,
    });
    const [list, made] = await judges(run, worked, checks);
    expect([list?.kind, made?.kind]).toEqual(['fail', 'fail']);
    expect(list?.evidence.summary).toBe('1 of 1 item(s) are open, first: more');
    expect(list?.evidence.feedback?.excerpt).toContain('- more');
  });

  test('B7: the brief asks for the report, and carries the open items of the pass before', async () => {
    const run = await open(repository({ 'a.txt': 'a' }));
    const first = await works(run, writes('{"worklist": ["write the $& docs"]}'), { checks });
    const worklist = first.reports?.['out/report.json'];
    const second = await works(run, 'cat', { checks, pass: 2, ...(worklist === undefined ? {} : { worklist }) });
    const brief = await host.artifacts.readText(second.output.sha256);
    expect(brief).toContain('write your report to `out/report.json`, `none.json`');
    expect(brief).toContain('You left this open in the pass before:\n\n```\n- write the $& docs\n```');
  });
});

describe('B9: evidence', () => {
  const evidence = { tests: 1 };
  const junit = '<testsuite><testcase name="a"/></testsuite>';

  test('B9, R005: a run of no test is missing, and one test is enough', async () => {
    const run = await open(repository({ 'package.json': '{}' }));
    const worked = await works(run, 'echo x > x');
    const none = hard('none', { command: 'node --test', evidence });
    const some = hard('some', { command: `printf 'TAP version 13\\n1..1\\nok 1 - a\\n'`, evidence });
    const silent = hard('silent', { command: 'true', evidence });
    const [first, second, third] = await judges(run, worked, [none, some, silent]);
    expect([first?.kind, second?.kind, third?.kind]).toEqual(['missing', 'pass', 'missing']);
    expect(first?.evidence.summary).toMatch(/^exit 0, but 0 test\(s\) ran/);
    expect(second?.evidence).toMatchObject({
      summary: 'exit 0, 1 test(s) ran',
      tests: { ran: 1, failed: 0, skipped: 0 },
    });
    expect(third?.evidence.summary).toBe('exit 0, but it gave no evidence of a test that ran; at least 1 must');
  });

  test('B9: only the report that the command itself writes counts', async () => {
    const run = await open(repository({ '.gitignore': 'out\n' }));
    const worked = await works(run, `mkdir out && echo '${junit}' > out/old.xml`);
    const file = 'out/old.xml';
    const [stale, fresh, whole] = await judges(run, worked, [
      hard('stale', { command: 'true', evidence: { tests: 1, file } }),
      hard('fresh', { command: `echo '${junit}' > ${file}`, evidence: { tests: 1, file } }),
      hard('folder', {
        command: `echo '${junit}' > out/b.xml; echo '${junit}' > out/c.xml`,
        evidence: { tests: 2, file: 'out' },
      }),
    ]);
    expect([stale?.kind, fresh?.kind, whole?.kind]).toEqual(['missing', 'pass', 'pass']);
    expect(stale?.evidence.summary).toContain('it wrote no test report that can be read to out/old.xml');
  });

  test('B9: a failing command stays a failure, and a pass beside failing tests is told', async () => {
    const run = await open(repository({ a: 'a' }));
    const worked = await works(run, 'echo x > x');
    const tap = `printf 'TAP version 13\\n1..1\\nnot ok 1 - a\\n'`;
    const [red, green] = await judges(run, worked, [
      hard('red', { command: `${tap}; exit 1`, evidence }),
      hard('green', { command: `${tap}; true`, evidence }),
    ]);
    expect(red).toMatchObject({
      kind: 'fail',
      evidence: { failing: ['a'], summary: 'exit 1, 1 test(s) ran, 1 failed' },
    });
    expect(green).toMatchObject({ kind: 'pass', findings: ['tests_failed: exit 0, 1 test(s) ran, 1 failed'] });
  });
});

test('B11, B2: what is inherited lets a check through that wants those before it passed', async () => {
  const run = await open(repository({ a: 'a' }));
  const worked = await works(run, 'echo x > x');
  const checks = [hard('old', { command: 'echo broken; exit 3' }), hard('next', { command: 'true', needs: 'passed' })];
  const [base] = await judges(run, { snapshot: run.input.workspace.base }, checks.slice(0, 1));
  const { exitCode, digest } = base?.evidence ?? {};
  const found = {
    old: { ...(exitCode === undefined ? {} : { exitCode }), ...(digest === undefined ? {} : { digest }) },
  };
  expect(kinds(await judges(run, worked, checks, { base: found }))).toEqual(['pass', 'pass']);
  expect(kinds(await judges(run, worked, checks))).toEqual(['fail']);
});

describe('B3: a clean checkout is lent ignored folders', () => {
  const files = { '.gitignore': 'node_modules/\n', 'test.js': `require('dependency');\n` };
  const command = 'node test.js && git diff --exit-code';
  const provided = (provide: string[], change: Partial<CheckPlanOf<'command'>> = {}) =>
    hard(`lent ${provide.join()}`, { command, where: 'commit', provide, ...change });

  test('B3, R007: of the workspace, or of the repository that it is of', async () => {
    const repo = repository(files);
    const run = await open(repo);
    const worked = await works(run, 'echo x > x');
    const [missing] = await judges(run, worked, [provided(['node_modules'])]);
    expect(missing).toMatchObject({
      kind: 'error',
      evidence: { summary: expect.stringContaining('it cannot be given node_modules: the workspace does not have it') },
    });
    write(repo, 'node_modules/dependency/index.js', '');
    expect(kinds(await judges(run, worked, [provided(['node_modules'])]))).toEqual(['pass']);
    write(run.input.workspace.path, 'node_modules/dependency/index.js', 'throw new Error("of the workspace");');
    expect(kinds(await judges(run, worked, [provided(['node_modules'])]))).toEqual(['fail']);
  });

  test('B3: what git tracks is not covered, and no link leads out of the workspace', async () => {
    const run = await open(repository({ ...files, 'lib/a.js': '' }));
    const worked = await works(run, 'echo x > x');
    symlinkSync('/etc', join(run.input.workspace.path, 'node_modules'));
    const verdicts = await judges(run, worked, [provided(['lib']), provided(['node_modules'])]);
    expect(verdicts.map(({ kind, evidence }) => `${kind}: ${evidence.summary}`)).toEqual([
      'error: it cannot be given lib: git tracks it, so the checkout has its own: leave it out',
      expect.stringContaining('it is no real file or folder'),
    ]);
  });

  test('B3: in a sandbox they cannot be written', async () => {
    const run = await open(repository(files), {
      ...host,
      sandbox: await chooseSandbox('bwrap', { path: process.env['PATH'] ?? '', warn: () => undefined }),
    });
    expect(run.deps.sandbox.kind).toBe('bwrap');
    const worked = await works(run, 'echo x > x');
    write(run.input.workspace.path, 'node_modules/dependency/index.js', '');
    const spoil = 'echo spoilt > node_modules/dependency/index.js';
    const checks = [provided(['node_modules']), provided(['node_modules'], { name: 'spoil', command: spoil })];
    expect(kinds(await judges(run, worked, checks))).toEqual(['pass', 'fail']);
  });
});

test('B4: a test that the agent deleted or switched off is a finding of its attempt', async () => {
  const run = await open(repository({ 'test/a.test.js': 'it("a")\n', 'test/b.test.js': 'it("b")\n' }));
  const { findings } = await works(run, `rm test/a.test.js; echo 'it.skip("b")' > test/b.test.js`);
  expect(findings).toEqual(['test_deleted: test/a.test.js', 'test_skipped: test/b.test.js: it.skip("b")']);
});

test('H2: an agent without any output for its quiet limit is ended as failed, and the reason names it', async () => {
  const run = await open(repository({ a: 'a' }));
  const work = scriptedAgent(['echo begins; echo half > half; sleep 600']);
  if (work.kind !== 'agent') throw new TypeError('it is an agent');
  const quiet = step('work', { work: { ...work, agent: { ...work.agent, quietSeconds: 1 } } });
  const worked = await works(run, '', { step: quiet });
  expect(worked.end).toEqual({
    kind: 'failed',
    reason: 'It hung: no output and no tool use for 1s, its `quiet` limit; it was ended.',
  });
  expect(worked.snapshot?.tree).not.toBe(run.input.workspace.base?.tree);
});

test('H2: output resets the quiet limit, so that an agent at work may take its time', async () => {
  const run = await open(repository({ a: 'a' }));
  const work = scriptedAgent(['for n in 1 2 3 4 5; do sleep 0.5; echo $n >&2; done']);
  if (work.kind !== 'agent') throw new TypeError('it is an agent');
  const quiet = step('work', { work: { ...work, agent: { ...work.agent, quietSeconds: 1.5 } } });
  expect((await works(run, '', { step: quiet })).end).toEqual({ kind: 'ok' });
});
