import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const scripted = (script: string) => ({ name: 'scripted', passes: [script] });

describe.concurrent('what a snapshot holds, and whose git runs', () => {
  const commit = 'git add . && git -c user.name=x -c user.email=x@example.org commit -qm x';
  test.each([
    ['with a commit', commit],
    ['without a commit', 'true'],
  ])('R023: a repository that the agent made inside (%s) is delivered as its files (F5)', async (_, then) => {
    const agent = scripted(`mkdir app && cd app && git init -q && echo hi > index.js && ${then}`);
    const repository = stack.repository();
    const checks = [{ name: 'there', run: 'test -f app/index.js', where: 'commit' }];
    const ended = await stack.run(repository, { task: 'Scaffold.', agent, checks, baseline: 'off' });
    expect([ended.code, ended.outcome.stop, ended.outcome.delivery]).toEqual([0, 'succeeded', 'branch']);
    expect(repository.git('show', `${ended.outcome.branch}:app/index.js`)).toBe('hi');
    const findings = ended.of('attempt.finished').at(0)?.result.findings;
    expect(findings).toEqual([expect.stringContaining('nested_repository')]);
  });

  test('R025: nothing that the agent configured in git runs on the host, and its file is kept as written (F6)', async () => {
    const [first, second] = ['monitor-ran', 'filter-ran'].map((name) => join(stack.scratch, name));
    const script = [
      'rm -f .git',
      'git init -q .',
      `git config core.fsmonitor 'touch ${first}'`,
      `git config filter.x.clean 'sh -c "touch ${second}; cat"'`,
      `echo '*.txt filter=x' > .gitattributes`,
      'echo hi > a.txt',
    ].join('; ');
    const repository = stack.repository();
    const definition = { task: 'Mend it.', agent: scripted(script), checks: ['test -f a.txt'], baseline: 'off' };
    const ended = await stack.run(repository, definition);
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    expect([existsSync(first ?? ''), existsSync(second ?? '')]).toEqual([false, false]);
    expect(repository.git('show', `${ended.outcome.branch}:a.txt`)).toBe('hi');
    expect(ended.of('attempt.finished').at(0)?.result.findings.join(' ')).toMatch(/pointer|repository/);
  });

  test('F2: untracked files are in the snapshot, ignored ones are not, unless the plan keeps them', async () => {
    const repository = stack.repository({ '.gitignore': 'cache/\nout/\n' });
    const agent = scripted('mkdir cache out; echo 1 > cache/a; echo 2 > out/b; echo 3 > c');
    const definition = {
      task: 'Build.',
      agent,
      checks: ['test -e c'],
      baseline: 'off',
      workspace: { keep: ['out/**'] },
    };
    const ended = await stack.run(repository, definition);
    const files = repository.git('ls-tree', '-r', '--name-only', ended.outcome.branch ?? '').split('\n');
    expect(files).toEqual(['.gitignore', 'c', 'out/b']);
  });

  test('B4: a protected file that the agent changed fails the pass as tampered, and the branch never has it', async () => {
    const repository = stack.repository({ 'test/a.txt': 'kept\n' });
    const agent = {
      name: 'scripted',
      passes: [
        'echo changed > test/a.txt; echo x > x',
        'git checkout -q HEAD -- . || git show HEAD:test/a.txt > test/a.txt; cat',
      ],
    };
    const definition = { task: 'Mend it.', agent, checks: ['test -e x'], workspace: { protect: ['test/**'] } };
    const ended = await stack.run(repository, { ...definition, baseline: 'off' });
    expect([ended.code, ended.outcome.passes]).toEqual([0, 2]);
    expect(JSON.stringify(ended.of('check.judged').filter(({ pass }) => pass === 1))).toContain('tampered');
    expect(repository.git('show', `${ended.outcome.branch}:test/a.txt`)).toBe('kept');
  });

  test('A10, E3: cancel of a run leaves its workspace, and a second cancel changes nothing', async () => {
    const repository = stack.repository();
    const file = repository.definition({ steps: { work: { run: 'echo x > x; sleep 600' } } });
    const following = stack.start(['run', file, '--json'], { cwd: repository.path });
    const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
    await following.says(/"type":"attempt\.started"/);
    const both = await Promise.all([stack.cli(['cancel', runId]), stack.cli(['cancel', runId])]);
    expect(both.map(({ code }) => code)).toContain(0);
    expect((await following.ended).code).toBe(4);
    expect(existsSync(join(stack.home, 'worktrees', runId, 'work', '.git'))).toBe(true);
  });
});
