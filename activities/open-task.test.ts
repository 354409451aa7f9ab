import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenTaskInput } from '#core/contract/activities.ts';
import type { Shown } from '#core/plan/plan.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { openTask } from '#activities/open-task.ts';
import { putText } from '#activities/texts.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { asEngineTask } from '../test/fakes/engine-task.ts';
import { personWork, plan, step } from '../test/fakes/plans.ts';
import { withHost } from '../test/integration/with-host.ts';

const secret = 'hunter2-hunter2';
let folder = '';
let repo = '';
let database: Database;
let deps: HostDeps;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-task-')));
  repo = join(folder, 'repo');
  mkdirSync(repo);
  // Asked for nothing: what is shown needs no database but for the secrets.
  database = openDatabase('postgres://nobody@127.0.0.1:1/none');
  const host = withHost({ folder, database, hostId: 'one' });
  deps = { ...host, secrets: { ...host.secrets, known: () => Promise.resolve([{ name: 'KEY', value: secret }]) } };
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const snapshotOf = (content: string) => {
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  writeFileSync(join(repo, 'plan.md'), content);
  symlinkSync('/etc/passwd', join(repo, 'link'));
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', ['-C', repo, 'add', '.']);
  execFileSync('git', ['-C', repo, ...author, 'commit', '-q', '-m', 'x']);
  const of = (name: string) => execFileSync('git', ['-C', repo, 'rev-parse', name], { encoding: 'utf8' }).trim();
  return { commit: of('HEAD'), tree: of('HEAD^{tree}'), head: of('HEAD') };
};

interface Asked {
  ask?: string;
  show?: Shown[];
  scope?: Partial<OpenTaskInput['scope']>;
  snapshot?: OpenTaskInput['snapshot'];
}

function opened({ ask = 'Fine?', show = [], scope = {}, snapshot }: Asked) {
  const { workspace } = plan([step('a')], {});
  return asEngineTask(1, () =>
    openTask(deps, {
      runId: 'run_1',
      step: 'agree',
      pass: 1,
      person: personWork({ ask, show }),
      workspace: { plan: { ...workspace, repo, worktree: snapshot !== undefined }, path: repo },
      ...(snapshot === undefined ? {} : { snapshot }),
      scope: { inputs: {}, outputs: {}, feedback: [], iteration: 0, run: { id: 'run_1', name: 'x' }, ...scope },
    }),
  );
}

const file = (path: string): Shown => ({ kind: 'file', path });

test('D1: the text is rendered, a long one is inline only in part and whole as an artifact', async () => {
  const short = await opened({
    ask: 'Ship {{inputs.what}}?',
    scope: { inputs: { what: '\u001b[31m{{it}}\u001b[0m' } },
  });
  expect(short.ask).toEqual({ text: 'Ship {{it}}?' });
  const long = await opened({ ask: '{{inputs.what}}', scope: { inputs: { what: 'ä€'.repeat(20_000) } } });
  expect(Buffer.byteLength(long.ask.text)).toBeLessThanOrEqual(8 * 1024);
  expect(await deps.artifacts.readText(long.ask.whole?.sha256 ?? '')).toBe('ä€'.repeat(20_000));
});

test('D1: a file is frozen as the snapshot has it, an output by its artifact; what is missing is a note', async () => {
  const snapshot = snapshotOf('the plan\u0000\n');
  writeFileSync(join(repo, 'plan.md'), 'changed since');
  const output = await putText(deps.artifacts, 'an answer', []);
  const { shown } = await opened({
    snapshot,
    scope: { outputs: { plan: output } },
    show: [{ kind: 'output', step: 'plan' }, { kind: 'output', step: 'later' }, file('./plan.md'), file('gone')],
  });
  const texts = await Promise.all(shown.map(({ content }) => deps.artifacts.readText(content.sha256)));
  expect(shown.map(({ name }) => name)).toEqual(['output of plan', 'output of later', './plan.md', 'gone']);
  expect(texts).toEqual([
    'an answer',
    'Step later has given no output yet.\n',
    'the plan\u0000\n',
    'There is no file gone to be read in the workspace.\n',
  ]);
  expect(shown[2]?.content).toMatchObject({ bytes: 10, excerpt: 'the plan\u2400\n' });
});

test('D1: without snapshots the folder is shown as it is now, and nothing outside of it (F4)', async () => {
  writeFileSync(join(repo, 'here.md'), 'here');
  writeFileSync(join(folder, 'beside'), 'beside');
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(repo, 'pipe')]);
  const paths = ['here.md', 'link', '../beside', '/etc/passwd', 'pipe', '.', 'x'.repeat(5_000)];
  const { shown } = await opened({ show: paths.map(file) });
  const texts = await Promise.all(shown.map(({ content }) => deps.artifacts.readText(content.sha256)));
  expect(texts[0]).toBe('here');
  for (const text of texts.slice(1)) expect(text).toMatch(/^There is no file /);
});

test('D1: of a large file the beginning is shown, and its name says so', async () => {
  writeFileSync(join(repo, 'large'), 'x'.repeat(4 * 1024 * 1024 + 1));
  const { shown } = await opened({ show: [file('large')] });
  expect(shown[0]).toMatchObject({ name: 'large (its first 4 MiB)', content: { bytes: 4 * 1024 * 1024 } });
});

test('H4, D1: a secret that stands in a file is not shown', async () => {
  writeFileSync(join(repo, 'notes.md'), `the key is ${secret}, keep it\n`);
  const [shown] = (await opened({ show: [file('notes.md')] })).shown;
  const stored = await deps.artifacts.readText(shown?.content.sha256 ?? '');
  for (const text of [stored, shown?.content.excerpt]) {
    expect(text).toMatch(/^the key is .*, keep it\n$/);
    expect(text).not.toContain(secret);
  }
});
