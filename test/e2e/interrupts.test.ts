import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { allPids, commandOf } from '#infra/process/process-table.ts';
import { jsonRun } from './cli.ts';
import { ownStack, sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

/** Two passes, each long enough to be met; `mark` is found in the process table while one runs. */
const slowly = (mark: string) => ({
  task: 'Mend it.',
  agent: { name: 'scripted', passes: [`echo 1 > n; sleep 1.${mark}`, `echo 2 > n; sleep 1.${mark}`] },
  checks: [{ name: 'two', run: `sleep 0.5${mark}; grep -q 2 n` }],
  baseline: 'off',
});

const living = (mark: string): string[] =>
  allPids()
    .map(commandOf)
    .filter((command) => command.includes(mark));

describe.concurrent('Ctrl-C', () => {
  test.each([
    ['when the run is handed over', /"type":"run\.started"/],
    ['when the agent works', /"type":"attempt\.started"/],
    ['when checks judge', /"type":"checks\.started"/],
    ['between two passes', /"type":"loop\.fired"/],
  ])('%s detaches, says how to come back, and the run goes on and succeeds', async (_, moment) => {
    const repository = stack.repository();
    const following = stack.start(['run', repository.definition(slowly('0')), '--json'], { cwd: repository.path });
    const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
    await following.says(moment);
    following.child.kill('SIGINT');
    const left = await following.ended;
    expect(left.code).toBe(130);
    expect(left.stderr).toContain(`setpoint watch ${runId}`);
    const watched = jsonRun(await stack.cli(['watch', runId, '--json']));
    expect([watched.code, watched.outcome.stop, watched.outcome.passes]).toEqual([0, 'succeeded', 2]);
  });

  test('as soon as the command starts leaves no run that nobody was told of', async () => {
    const repository = stack.repository();
    const name = 'Interrupted at once';
    const file = repository.definition({ ...slowly('0'), name });
    const started = stack.start(['run', file], { cwd: repository.path });
    await once(started.child, 'spawn');
    started.child.kill('SIGINT');
    const { stdout, stderr } = await started.ended;
    const { stdout: listed } = await stack.cli(['runs', '--json', '--search', name]);
    const runIds = [...listed.matchAll(/"runId":"(run_\w+)"/g)].map(([, runId]) => runId ?? '');
    for (const runId of runIds) expect(`${stdout}${stderr}`).toContain(runId);
    for (const runId of runIds) await stack.cli(['cancel', runId]);
  });

  test('with --foreground cancels: exit 4, and nothing of the run is alive', async () => {
    const mark = '91827364';
    const repository = stack.repository();
    const stubborn = {
      steps: { work: { run: `trap '' TERM; while :; do sleep 600.${mark}; done`, loop: { to: 'work' } } },
    };
    const flags = ['--json', '--foreground'];
    const following = stack.start(['run', repository.definition(stubborn), ...flags], { cwd: repository.path });
    await following.says(/"type":"attempt\.started"/);
    following.child.kill('SIGINT');
    const ended = jsonRun(await following.ended);
    expect([ended.code, ended.outcome.stop]).toEqual([4, 'cancelled']);
    expect(living(mark)).toEqual([]);
  });

  test('twice with --foreground quits at once, and the run is cancelled all the same', async () => {
    const repository = stack.repository();
    const file = repository.definition({ steps: { work: { run: 'sleep 600' } } });
    const following = stack.start(['run', file, '--json', '--foreground'], { cwd: repository.path });
    const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
    await following.says(/"type":"attempt\.started"/);
    following.child.kill('SIGINT');
    await following.says(/Ctrl-C again detaches/);
    following.child.kill('SIGINT');
    const { code } = await following.ended;
    expect(code === 130 || code === 4).toBe(true);
    expect((await stack.cli(['watch', runId])).code).toBe(4);
  });
});

describe('the stack itself', () => {
  test('two `up` at once give one stack; Ctrl-C on `run` while it starts loses nothing; Ctrl-C on `up` stops it; its runs go on after the next', async () => {
    const own = await ownStack();
    try {
      const repository = own.repository();
      const file = repository.definition(slowly('0'));
      const started = own.start(['run', file], { cwd: repository.path });
      await started.says(/starting the embedded stack/);
      started.child.kill('SIGINT');
      const ups = await Promise.all([own.cli(['up', '--detach']), own.cli(['up', '--detach'])]);
      expect(ups.map(({ code }) => code)).toEqual([0, 0]);
      expect(new Set(ups.map(({ stdout }) => stdout)).size).toBe(1);
      const left = await started.ended;
      expect(left.code).toBe(130);
      expect(left.stderr).toMatch(/setpoint watch run_|Interrupted before the run was started/);

      const detached = await own.cli(['run', file, '--detach'], { cwd: repository.path });
      const { runId } = JSON.parse(detached.stdout) as { runId: string };
      const up = own.start(['up']);
      await up.says(/Ctrl-C stops it/);
      up.child.kill('SIGINT');
      expect((await up.ended).code).toBe(0);
      expect((await own.cli(['status'])).code).toBe(5);
      const away = await own.cli(['show', runId]);
      expect([away.code, away.stderr]).toEqual([5, expect.stringContaining('setpoint up')]);

      expect((await own.cli(['up', '--detach'])).code).toBe(0);
      const watched = await own.cli(['watch', runId]);
      expect(watched.code).toBe(0);
      expect((await own.cli(['down'])).code).toBe(0);
      expect((await own.cli(['down'])).code).toBe(0);
      expect(
        allPids()
          .map(commandOf)
          .filter((command) => command.includes(join(own.home, ''))),
      ).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
