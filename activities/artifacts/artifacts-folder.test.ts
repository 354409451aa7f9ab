import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { artifactsOf } from '#activities/workspace/places.ts';
import { openFolder } from '#activities/artifacts/folder.ts';
import { freeze } from '#activities/freeze-shown.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';
import { HostRun, repositoryOf } from '../../test/fakes/host-run.ts';
import { plan, scriptedAgent, step } from '../../test/fakes/plans.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { type TestDatabase, withPostgres } from '../../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;
let host: HostDeps;
let repo = '';
let runs = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-artifacts-')));
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  host = withHost({ folder, database, hostId: 'one' });
  repo = repositoryOf(join(folder, 'repo'));
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Opening {
  deps?: HostDeps;
  kept?: ArtifactRef;
  worktree?: boolean;
}

async function open({ deps = host, kept, worktree = true }: Opening = {}): Promise<HostRun & { at: string }> {
  const runId = `run_${++runs}`;
  const change: Partial<Plan> = {
    artifacts: true,
    workspace: { ...plan([step('work')]).workspace, repo, worktree },
  };
  const input = kept === undefined ? {} : { artifacts: { kept } };
  const run = await HostRun.open(deps, database, { runId, change, input });
  return Object.assign(run, { at: run.place.artifacts?.path ?? '' });
}

async function contained(): Promise<HostDeps> {
  const sandbox = await chooseSandbox('bwrap', { path: process.env['PATH'] ?? '', warn: () => undefined });
  return { ...host, sandbox };
}

const command = (text: string): Pick<StepPlan, 'work'> => ({ work: { kind: 'run', command: text } });
const read = (run: { at: string }, path: string) => readFileSync(join(run.at, path), 'utf8');

describe('D-06: the folder of artifacts', () => {
  test('D-06: the condition writes there, and the next attempt reads it, under one name in every sandbox', async () => {
    const run = await open({ deps: await contained() });
    expect(run.at).toBe(artifactsOf(host.home, run.runId));
    const wrote = await run.condition('echo failures > {{run.artifacts}}/report && echo met');
    expect(wrote).toMatchObject({ kind: 'met' });
    const agent = {
      work: scriptedAgent(['cat "$SETPOINT_ARTIFACTS_DIR/report"; echo mine >> "$SETPOINT_ARTIFACTS_DIR/report"']),
    };
    expect((await run.attempt(agent)).output.excerpt).toBe('failures\n');
    expect(
      (await run.check('grep mine "$SETPOINT_ARTIFACTS_DIR/report" && echo seen > {{run.artifacts}}/check'))?.kind,
    ).toBe('pass');
    const seen = await run.attempt({ ...command('cat {{run.artifacts}}/check'), readOnly: true });
    expect(seen.output.excerpt.trim()).toBe('seen');
  });

  test('D-06: nothing of it is in a snapshot', async () => {
    const run = await open();
    const { snapshot } = await run.attempt(command('echo x > {{run.artifacts}}/x; echo y > y'));
    expect(readdirSync(run.place.path).filter((name) => name !== '.git')).toEqual(['file', 'y']);
    expect(snapshot?.tree).not.toBe(run.place.base?.tree);
  });

  test('F4: without a worktree the run has one, too', async () => {
    const run = await open({ worktree: false });
    await run.attempt(command('echo x > {{run.artifacts}}/x'));
    expect(read(run, 'x')).toBe('x\n');
  });

  test('F3: a folder that is gone is laid anew as the last attempt left it, links left out and modes kept', async () => {
    const run = await open();
    const script =
      'cd "$SETPOINT_ARTIFACTS_DIR"; mkdir -p a/b; echo deep > a/b/c; echo x > run.sh; chmod +x run.sh; ln -s /etc/passwd out';
    const { artifacts: kept } = await run.attempt(command(script));
    if (kept === undefined || run.place.artifacts === undefined) throw new TypeError('it kept nothing');
    rmSync(run.at, { recursive: true });
    expect(await openFolder(host, { ...run.place.artifacts, kept })).toEqual([run.at]);
    expect(read(run, 'a/b/c')).toBe('deep\n');
    expect(statSync(join(run.at, 'run.sh')).mode & 0o111).not.toBe(0);
    expect(readdirSync(run.at)).toEqual(['a', 'run.sh']);
  });

  test('E8: a fork begins with the files that the first run had then, in a folder of its own', async () => {
    const first = await open();
    const { artifacts: kept } = await first.attempt(command('echo then > {{run.artifacts}}/x'));
    await first.attempt(command('echo later > {{run.artifacts}}/x'));
    if (kept === undefined) throw new TypeError('it kept nothing');
    const fork = await open({ kept });
    expect([read(fork, 'x'), read(first, 'x')]).toEqual(['then\n', 'later\n']);
  });

  test('H4: what is kept of it hides secrets', async () => {
    const value = 'a-secret-of-the-host';
    const secrets = { ...host.secrets, known: async () => [{ name: 'TOKEN', value }] };
    const first = await open({ deps: { ...host, secrets } });
    const { artifacts: kept } = await first.attempt(command(`echo ${value} > {{run.artifacts}}/x`));
    if (kept === undefined) throw new TypeError('it kept nothing');
    expect(read(await open({ kept }), 'x')).not.toContain(value);
  });

  test('F5: folders nested beyond what a path may be long cost no attempt; what can be read is kept', async () => {
    const run = await open();
    const name = 'd'.repeat(200);
    const nest = `for (let n = 0; n < 30; n += 1) { fs.mkdirSync("${name}"); process.chdir("${name}"); fs.writeFileSync("x", "x\\n"); }`;
    const result = await run.attempt(command(`cd {{run.artifacts}} && echo top > top && node -e '${nest}'`));
    expect([result.end.kind, result.findings]).toEqual(['ok', []]);
    if (result.artifacts === undefined) throw new TypeError('it kept nothing');
    const fork = await open({ kept: result.artifacts });
    expect([read(fork, 'top'), read(fork, `${name}/x`)]).toEqual(['top\n', 'x\n']);
    execFileSync('rm', ['-rf', run.at, fork.at]);
  });

  test('more than 64 MiB are not kept: the attempt says so, and the folder stays as it is', async () => {
    const run = await open();
    writeFileSync(join(run.at, 'large'), '');
    truncateSync(join(run.at, 'large'), 65 * 1024 * 1024);
    const result = await run.attempt(command('true'));
    expect(result.artifacts).toBeUndefined();
    expect(result.findings).toEqual([expect.stringMatching(/^artifacts_not_kept: .* more than 64 MiB/)]);
    expect(existsSync(join(run.at, 'large'))).toBe(true);
  });

  test('D-12: a child run writes into the folder of the run that called it', async () => {
    const deps = await contained();
    const parent = await open({ deps });
    const child = await open({ deps });
    if (child.place.artifacts === undefined) throw new TypeError('it has no folder');
    const workspace = { ...child.place, artifacts: { ...child.place.artifacts, parent: parent.runId } };
    const scope = { ...child.scope, inputs: { to: parent.at } };
    const result = await child.attempt(command('echo verdict > {{inputs.to}}/review.json'), { workspace, scope });
    expect(result.end.kind).toBe('ok');
    expect(read(parent, 'review.json')).toBe('verdict\n');
    expect((await child.attempt(command('echo no > {{inputs.to}}/other'), { scope })).end.kind).toBe('failed');
  });
});

describe('D-07: the streams of a step', () => {
  const both = 'echo out; echo err >&2; echo "  "';
  const output = { of: 'all', artifact: 'deep/out.txt', errorsArtifact: 'err.txt' } as const;

  test('D-07: each attempt writes its streams anew, whole, before its checks read them', async () => {
    const run = await open();
    const result = await run.attempt({ ...command(both), output });
    expect([read(run, 'deep/out.txt'), read(run, 'err.txt')]).toEqual(['out\n  \n', 'err\n']);
    expect(result.output.excerpt).toContain('err');
    expect((await run.check('grep -q out {{run.artifacts}}/deep/out.txt'))?.kind).toBe('pass');
    await run.attempt({ ...command('echo again; exit 3'), output });
    expect([read(run, 'deep/out.txt'), read(run, 'err.txt')]).toEqual(['again\n', '']);
    const long = await run.attempt({ ...command('seq 1 100000'), output });
    expect(read(run, 'deep/out.txt').split('\n')).toHaveLength(100_001);
    expect(long.end.kind).toBe('ok');
  });

  test('D-07: `of: stdout` makes standard output the step’s output, trimmed at its end, and judges it alone', async () => {
    const run = await open();
    const match = { fail: 'err' };
    const result = await run.attempt({ ...command(both), output: { of: 'stdout' }, match });
    expect(await host.artifacts.readText(result.output.sha256)).toBe('out');
    expect(result.output.excerpt).toBe('out');
    expect(result.match?.kind).toBe('pass');
    expect(await host.artifacts.readText(result.log?.sha256 ?? '')).toContain('err');
  });

  test('D-07: an output that cannot be written is a fault of the store, with its name', async () => {
    const run = await open();
    const artifact = `${'x'.repeat(300)}.txt`;
    const refused = run.attempt({ ...command(both), output: { of: 'all', artifact } });
    await expect(refused).rejects.toMatchObject({
      type: 'store/unavailable',
      message: expect.stringContaining(artifact),
    });
  });

  test('D-07: of an agent its answer is written', async () => {
    const run = await open();
    await run.attempt({ work: scriptedAgent(['seq 1 30000']), output });
    expect(read(run, 'deep/out.txt').split('\n')).toHaveLength(30_001);
  });

  test('F6: a link that a step planted where an output goes is replaced, not followed', async () => {
    const run = await open();
    const outside = join(folder, `outside-${run.runId}`);
    mkdirSync(outside);
    symlinkSync(outside, join(run.at, 'deep'));
    symlinkSync(join(outside, 'err'), join(run.at, 'err.txt'));
    await run.attempt({ ...command(both), output });
    expect(readdirSync(outside)).toEqual([]);
    expect(read(run, 'deep/out.txt')).toContain('out');
  });

  test('E5: an attempt that goes on after its process writes them, too', async () => {
    const run = await open();
    const key = { runId: run.runId, step: 'work', pass: 9, attempt: 1 };
    const change: Partial<AttemptInput> = { key };
    const work = { ...command('echo once >> "$SETPOINT_ARTIFACTS_DIR/runs"; echo out'), output };
    await run.attempt(work, change);
    const stored = await host.attempts.find(key);
    if (stored?.ran === undefined) throw new TypeError('no stage is stored');
    rmSync(join(run.at, 'deep'), { recursive: true });
    await database.query({
      text: `update attempts set result = null, stage = 'ran' where run_id = $1`,
      values: [run.runId],
    });
    await run.attempt(work, { ...change, resume: true });
    expect([read(run, 'runs'), read(run, 'deep/out.txt')]).toEqual(['once\n', 'out\n']);
  });
});

describe('D-08: an artifact beside a question', () => {
  const shows = (run: HostRun, path: string) =>
    freeze(host, { workspace: run.place, scope: run.scope, hidden: [] }, { kind: 'artifact', path });

  test('D-08: it is frozen as it is now; what is not there, or leads outside, is a note', async () => {
    const run = await open();
    await run.attempt(command('echo notes > {{run.artifacts}}/notes.md; ln -s /etc/passwd {{run.artifacts}}/out'));
    const shown = await shows(run, 'notes.md');
    await run.attempt(command('echo later > {{run.artifacts}}/notes.md'));
    expect([shown.name, await host.artifacts.readText(shown.content.sha256)]).toEqual(['notes.md', 'notes\n']);
    for (const path of ['none.md', 'out', '.']) {
      expect((await shows(run, path)).content.excerpt).toContain(`There is no file ${path} to be read in the folder`);
    }
  });
});
