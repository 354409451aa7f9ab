import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '#core/contract/http.ts';
import { freePort } from '#infra/stack/free-port.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const broken = `setpoint: 1
name: Broken
task: Mend it.
agnet: codex
checks:
  - npm test
  - { name: size, match: { of: work.output, pass: '(' } }
limits: { passes: 0, time: 5 parsecs }
`;
/** Line, column and code of each of its issues. */
const issues = [
  '1:1 definition/missing',
  '4:1 definition/unknown-key',
  '7:32 check/bad-reference',
  '7:51 pattern/invalid',
  '8:19 definition/out-of-range',
  '8:28 definition/bad-duration',
];

function placesIn(text: string): string[] {
  return [...text.matchAll(/^\S+?:(\d+:\d+) (\S+) /gm)].map(([, place, code]) => `${place} ${code}`);
}

describe.concurrent('input that is wrong', () => {
  test('a broken definition: every issue with line and column, exit 2, and nothing is created, not even a stack', async () => {
    const repository = stack.repository();
    const file = repository.definition(broken);
    const nowhere = join(stack.scratch, 'no-stack');
    const options = { cwd: repository.path, env: { SETPOINT_HOME: nowhere } };
    const validated = await stack.cli(['validate', file], options);
    const started = await stack.cli(['run', file], options);
    for (const ended of [validated, started]) {
      expect(ended.code).toBe(2);
      expect(placesIn(ended.stderr)).toEqual(issues);
    }
    expect(existsSync(nowhere)).toBe(false);
  });

  test('the server tells the same issues, 422, and starts no run', async () => {
    const repository = stack.repository();
    const file = repository.definition(broken);
    const ended = await stack.cli(['run', file], { cwd: repository.path });
    expect(ended.code).toBe(2);
    expect(placesIn(ended.stderr)).toEqual(issues);
    expect((await stack.cli(['runs', '--json', '--search', 'Broken'])).stdout).toBe('');
    const body = JSON.stringify({ source: broken });
    const headers = { 'content-type': 'application/json' };
    const response = await stack.call('/v1/runs', { method: 'POST', body, headers });
    expect(response.status).toBe(422);
    const told = Problem.parse(await response.json()).issues ?? [];
    expect(told.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual(issues);
  });

  test('a folder that is no git repository: failed_to_start, exit 5, with the remedy', async () => {
    const folder = join(stack.scratch, 'no-repository');
    mkdirSync(folder);
    const repository = stack.repository();
    const file = repository.definition({ steps: { work: { run: 'true' } } });
    const ended = await stack.cli(['run', file], { cwd: folder });
    expect(ended.code).toBe(5);
    expect(ended.stderr).toMatch(/no-repository is not inside a git repository.*git init/);
    expect(JSON.parse(ended.stdout)).toMatchObject({ stop: 'failed_to_start' });
    expect(readdirSync(folder)).toEqual([]);
    const looked = await stack.cli(['run', file, '--dry-run'], { cwd: folder });
    expect(looked.code).toBe(5);
  });

  test('a repository without a commit: failed_to_start, exit 5, with the remedy', async () => {
    const repository = stack.repository();
    const empty = join(stack.scratch, 'empty-repository');
    repository.git('init', '-q', empty);
    const file = repository.definition({ steps: { work: { run: 'true' } } });
    const ended = await stack.cli(['run', file], { cwd: empty });
    expect([ended.code, ended.stderr]).toEqual([5, expect.stringContaining('Make a first commit')]);
  });

  test('an unknown base: failed_to_start, exit 5, and the name that was given is said', async () => {
    const repository = stack.repository();
    const definition = { workspace: { base: 'no-such-branch' }, steps: { work: { run: 'true' } } };
    const ended = await stack.run(repository, definition);
    expect([ended.code, ended.outcome.stop]).toEqual([5, 'failed_to_start']);
    expect(ended.of('run.stopped').at(0)?.stop.reason).toMatch(/"no-such-branch" is no branch, tag or commit/);
  });

  test('a dirty base: the run works on the commit, says what is left out, and touches nothing of it', async () => {
    const repository = stack.repository();
    repository.write({ 'README.md': 'changed\n', 'new.txt': 'new\n' });
    const ended = await stack.run(repository, {
      steps: { work: { run: 'cat README.md; ! test -e new.txt; echo x > x' } },
    });
    expect(ended.code).toBe(0);
    expect(ended.of('workspace.opened').at(0)?.notes.join(' ')).toMatch(/Uncommitted.*README\.md, new\.txt/);
    expect(repository.git('status', '--porcelain')).toBe('M README.md\n?? new.txt');
    expect(repository.git('diff', '--name-only', 'main', ended.outcome.branch ?? '')).toBe('x');
  });

  test('an agent whose program is missing: exit 5, with how to install it, and no pass is spent', async () => {
    const repository = stack.repository();
    const ended = await stack.run(repository, { task: 'Mend it.', agent: 'goose', checks: ['true'] });
    expect([ended.code, ended.outcome.stop]).toEqual([5, 'failed_to_start']);
    const stop = ended.of('run.stopped').at(0)?.stop;
    expect(`${stop?.reason} ${stop?.remedy}`).toMatch(/goose.*not on this host's PATH.*[Ii]nstall/);
  });

  test('a check whose program is missing could not run: the run pauses with the reason, exit 3, the work is not blamed (B10)', async () => {
    const repository = stack.repository();
    const definition = {
      task: 'Mend it.',
      agent: { name: 'scripted', passes: ['echo x > x'] },
      checks: ['no-such-program --all'],
      baseline: 'off',
    };
    const ended = await stack.run(repository, definition, '--no-wait');
    expect([ended.code, ended.outcome.status, ended.outcome.passes]).toEqual([3, 'paused', 1]);
    expect(ended.of('check.judged').map(({ verdict }) => verdict.kind)).toEqual(['error', 'error', 'error']);
    expect(ended.of('run.paused').at(0)?.reason).toMatch(/could not run/);
    expect(ended.of('run.paused').at(0)?.remedy).toBe(
      `Mend what the check needs, then: setpoint resume ${ended.outcome.runId}`,
    );
    expect((await stack.cli(['cancel', ended.outcome.runId])).code).toBe(0);
  });

  test('a command whose program is missing fails the run once, exit 1, and says so', async () => {
    const repository = stack.repository();
    const ended = await stack.run(repository, { steps: { work: { run: 'no-such-program' } } });
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'failed']);
    expect(ended.of('attempt.started')).toHaveLength(1);
    expect(ended.of('run.stopped').at(0)?.stop.reason).toMatch(/not found/);
  });

  test('a file that is not there, and a flag that is not known, end with 2 and the remedy', async () => {
    const missing = await stack.cli(['run', 'nowhere.yaml']);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringMatching(/nowhere\.yaml is neither a file here nor[\s\S]*remedy: /),
    ]);
    const unknown = await stack.cli(['run', '--jsno', 'x.yaml']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('--json')]);
  });

  test('bytes that are no UTF-8, NULs and 2 MiB in a definition end with 2 and say what is wrong', async () => {
    const repository = stack.repository();
    const written: [string, Buffer][] = [
      ['bytes', Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x3a, 0x20, 0xff, 0xfe, 0x0a])],
      ['nul', Buffer.from('task: a\0b\nagent: codex\nchecks: [npm test]\n')],
      ['large', Buffer.from(`task: ${'x'.repeat(2 * 1024 * 1024)}\nagent: codex\nchecks: [npm test]\n`)],
      ['empty', Buffer.alloc(0)],
    ];
    for (const [name, bytes] of written) {
      const file = join(repository.path, `${name}.yaml`);
      writeFileSync(file, bytes);
      const ended = await stack.cli(['run', file], { cwd: repository.path });
      expect([name, ended.code, ended.stdout]).toEqual([name, 2, '']);
      expect(ended.stderr).not.toBe('');
    }
  });

  test('a run that does not exist ends with 2 and is named', async () => {
    for (const argv of [['show'], ['logs'], ['diff'], ['watch'], ['cancel'], ['retry']]) {
      const ended = await stack.cli([...argv, 'run_00000000000000000000000000']);
      expect([argv, ended.code]).toEqual([argv, 2]);
      expect(ended.stderr).toContain('run_00000000000000000000000000');
    }
  });

  test('a server that does not answer, or wants another token, ends with 5 and the remedy', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const away = await stack.cli(['--server', url, 'runs']);
    expect([away.code, away.stderr]).toEqual([5, expect.stringMatching(/no server answers at [\s\S]*remedy: check/)]);
    const wrong = await stack.cli(['--server', stack.state().url, '--token', 'wrong', 'runs']);
    expect(wrong.code).toBe(5);
    expect(wrong.stderr).toMatch(/token[\s\S]*remedy: /);
  });
});
