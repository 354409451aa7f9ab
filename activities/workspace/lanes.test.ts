import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { StepPlan } from '#core/plan/plan.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { HostRun, repositoryOf } from '../../test/fakes/host-run.ts';
import { plan, step } from '../../test/fakes/plans.ts';
import { withHost } from '../../test/integration/with-host.ts';
import { type TestDatabase, withPostgres } from '../../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;
let host: HostDeps;
let runs = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-lanes-')));
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

const setup = 'echo once >> made; echo set-up > file';

async function open(): Promise<{ run: HostRun; lane: (number: number) => string; repo: string }> {
  const runId = `run_${++runs}`;
  const repo = repositoryOf(join(folder, `repo-${runId}`), { file: 'base\n', '.gitignore': 'made\nleft\n' });
  const workspace = { ...plan([step('work')]).workspace, repo, setup, lane: 'pass' as const };
  const run = await HostRun.open(host, database, { runId, change: { workspace } });
  return { run, repo, lane: (number) => `${run.place.path}${number === 1 ? '' : `-${number}`}` };
}

const command = (text: string): Pick<StepPlan, 'work'> => ({ work: { kind: 'run', command: text } });
const inLane = (run: HostRun, path: string): Partial<AttemptInput> => ({
  workspace: { ...run.place, path },
  restore: true,
});
const there = (path: string) =>
  readdirSync(dirname(path))
    .filter((name) => name.startsWith('work'))
    .toSorted();

test('E-10, F1: a pass has a new worktree at the last snapshot, with its set-up done, and the one before is gone', async () => {
  const { run, lane } = await open();
  await run.attempt(command('echo work > file; echo new > new; touch left'));
  const second = await run.attempt(command('cat file new made; ls'), inLane(run, lane(2)));
  // What the set-up does to files of the snapshot is not the work's; what it makes beside them is there.
  expect(second.output.excerpt.trim().split('\n')).toEqual(['work', 'new', 'once', 'file', 'made', 'new']);
  expect(there(lane(1))).toEqual(['work-2', 'work-2.control']);
  expect(second.findings).toEqual([]);
  const third = await run.attempt(command('pwd'), inLane(run, lane(3)));
  expect(third.output.excerpt.trim()).toBe(lane(3));
  expect(there(lane(1))).toEqual(['work-3', 'work-3.control']);
});

test('E5: an attempt that is begun again finds its lane as it is: the set-up is not done twice', async () => {
  const { run, lane } = await open();
  await run.attempt(command('echo work > file'));
  await run.attempt(command('echo broken off > file; exit 1'), { ...inLane(run, lane(2)) });
  const again = await run.attempt(command('cat file made'), inLane(run, lane(2)));
  expect(again.output.excerpt.trim()).toBe('broken off\nonce');
});

test('F1: work in a lane that no snapshot holds is kept when it is retired, and a note names it', async () => {
  const { run, repo, lane } = await open();
  await run.attempt(command('echo work > file'));
  writeFileSync(join(lane(1), 'by-hand'), 'of a person\n');
  const second = await run.attempt(command('true'), inLane(run, lane(2)));
  const [note = ''] = second.findings;
  expect(note).toMatch(/^left_in_lane: work that no snapshot holds was kept: refs\/setpoint\//);
  const ref = note.split(' ').at(-1) ?? '';
  expect(execFileSync('git', ['-C', repo, 'show', `${ref}:by-hand`], { encoding: 'utf8' })).toBe('of a person\n');
});

test('F1: what stands where a lane is to be is moved aside, never deleted', async () => {
  const { run, lane } = await open();
  await run.attempt(command('echo work > file'));
  execFileSync('mkdir', [lane(2)]);
  writeFileSync(join(lane(2), 'foreign'), 'not ours');
  expect((await run.attempt(command('cat file'), inLane(run, lane(2)))).output.excerpt.trim()).toBe('work');
  expect(readFileSync(`${lane(2)}.aside-1/foreign`, 'utf8')).toBe('not ours');
});

test('F1: a set-up that a crash broke off is done again in the next try', async () => {
  const { run, lane } = await open();
  await run.attempt(command('echo work > file'));
  const workspace = { ...run.place, path: lane(2), plan: { ...run.place.plan, setup: 'echo half > made; exit 1' } };
  await expect(run.attempt(command('true'), { workspace, restore: true })).rejects.toMatchObject({
    type: 'workspace/setup-failed',
  });
  // The lane before is not retired by one that was never admitted.
  expect(existsSync(lane(1))).toBe(true);
  expect((await run.attempt(command('cat made'), inLane(run, lane(2)))).output.excerpt.trim()).toBe('half\nonce');
});

test('F1: a worktree that was cleaned up, or that somebody deleted, is set up anew for the next attempt', async () => {
  const { run } = await open();
  await run.attempt(command('echo work > file'));
  rmSync(run.place.path, { recursive: true });
  const again = await run.attempt(command('cat file made'));
  expect(again.output.excerpt.trim()).toBe('work\nonce');
  expect((await run.attempt(command('cat made'))).output.excerpt.trim()).toBe('once');
});
