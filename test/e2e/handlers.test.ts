import { beforeAll, describe, expect, test } from 'vitest';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

describe.concurrent('what runs once the end of a run is known', () => {
  test('D-14: handlers for a success and for every end, in the workspace that was delivered', async () => {
    const repository = stack.repository();
    const exit = { run: 'cat made.txt && git -C {{inputs.repo}} rev-parse setpoint/{{run.id}} && touch handled.txt' };
    const ended = await stack.run(
      repository,
      {
        inputs: { repo: { type: 'string', required: true } },
        steps: { make: { run: 'echo made > made.txt' } },
        handlers: { success: { run: 'echo {{run.status}}' }, exit },
        deliver: 'branch',
      },
      '--input',
      `repo=${repository.path}`,
    );
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    expect(ended.of('attempt.started').map(({ step }) => step)).toEqual(['make', 'on-success', 'on-exit']);
    const delivered = repository.git('ls-tree', '--name-only', `setpoint/${ended.outcome.runId}`).split('\n');
    expect(delivered).toEqual(['README.md', 'made.txt']);
    const { stdout: told } = await stack.cli(['logs', ended.outcome.runId, '--step', 'on-success']);
    expect(told.trim()).toBe('succeeded');
    const { stdout: read } = await stack.cli(['logs', ended.outcome.runId, '--step', 'on-exit']);
    expect(read).toContain('made');
  });

  test('D-14: a handler that fails after a success makes it a failure; a retry runs it again', async () => {
    const repository = stack.repository();
    const ended = await stack.run(
      repository,
      {
        inputs: { repo: { type: 'string', required: true } },
        steps: { make: { run: 'echo made > made.txt' } },
        handlers: { success: { run: 'git -C {{inputs.repo}} rev-parse --verify open', retry: { limit: 0 } } },
        deliver: 'branch',
      },
      '--input',
      `repo=${repository.path}`,
    );
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'failed']);
    expect(ended.of('run.stopped').at(0)?.stop).toMatchObject({ code: 'handler_failed' });
    const shown = await stack.cli(['show', ended.outcome.runId]);
    expect(shown.stdout).toContain('Then its handler "on-success" failed: The command exited 128.');
    repository.git('branch', 'open');
    const again = await stack.cli(['retry', ended.outcome.runId]);
    expect(again.code).toBe(0);
    const watched = await stack.cli(['watch', ended.outcome.runId]);
    expect([watched.code, watched.stderr]).toEqual([0, expect.stringContaining('▶ on-success pass 2')]);
    expect(JSON.parse(watched.stdout)).toMatchObject({ stop: 'succeeded', passes: 1, delivery: 'branch' });
  });
});

describe.concurrent('what lets a run go on, and what is skipped along', () => {
  test('D-14: an exit code, and a pattern in the output, let a failure go; markSuccess counts it', async () => {
    const definition = {
      steps: {
        code: { run: 'exit 3', continueOn: { exitCodes: [3] } },
        words: {
          after: 'code',
          run: 'echo "There are NO TESTS here"; exit 1',
          continueOn: { matches: 'no tests', markSuccess: true },
        },
        last: { after: 'words', run: 'true' },
      },
      deliver: 'none',
    };
    const ended = await stack.run(stack.repository(), definition, '--dialect', 'native');
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    expect(ended.of('step.failed')).toMatchObject([{ step: 'code', continued: true }]);
    expect(ended.of('step.succeeded')).toMatchObject([{ step: 'words' }, { step: 'last' }]);
    const without = { steps: { words: { run: 'echo other; exit 1', continueOn: { matches: 'no tests' } } } };
    const other = await stack.run(stack.repository(), without, '--dialect', 'native');
    expect([other.code, other.outcome.stop]).toEqual([1, 'failed']);
  });

  test('A8: a skipped step takes along what comes after it, where the plan says so', async () => {
    const ended = await stack.run(stack.repository(), {
      steps: {
        maybe: { run: 'true', when: 'test -e wanted', skipsDependents: true },
        along: { after: 'maybe', run: 'true' },
        apart: { run: 'true' },
      },
      deliver: 'none',
    });
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    expect(ended.of('step.skipped').map(({ step, by }) => [step, by])).toEqual([
      ['maybe', undefined],
      ['along', 'maybe'],
    ]);
    expect(ended.of('attempt.started').map(({ step }) => step)).toEqual(['apart']);
  });
});
