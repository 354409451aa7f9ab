import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { RunOutcome } from '#core/contract/http.ts';
import type { Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';

/** Public reports and files of others, as workflows of Dagu. */

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

/** Starts it and gives up waiting once it waits for a person. */
async function started(repository: Repository, text: string): Promise<RunOutcome> {
  const argv = ['run', repository.definition(text), '--no-wait', '--quiet'];
  const { code, stdout, stderr } = await stack.cli(argv, { cwd: repository.path });
  expect([code, stderr]).toEqual([3, '']);
  return RunOutcome.parse(JSON.parse(stdout));
}

async function ended(runId: string): Promise<number | null> {
  return (await stack.cli(['watch', runId, '--quiet'])).code;
}

const read = (repository: Repository, name: string): string => readFileSync(join(repository.path, name), 'utf8');
const there = (repository: Repository, name: string): boolean => existsSync(join(repository.path, name));

describe.concurrent('files that people really write', () => {
  test('F03: one line of a value is equal to what is expected', async () => {
    const text = `working_dir: .
steps:
  - id: write
    preconditions:
      - condition: |
          one
          two
          three
        expected: two
    run: touch ran.txt
`;
    const repository = stack.repository();
    expect((await stack.run(repository, text)).code).toBe(0);
    expect(there(repository, 'ran.txt')).toBe(true);
  });

  test('F05: a step that is skipped is neither retried nor repeated', async () => {
    const text = `working_dir: .
steps:
  - id: guarded
    preconditions:
      - condition: off
        expected: on
    retry_policy: { limit: 2, interval_sec: 0 }
    repeat_policy: { repeat: true, limit: 2, interval_sec: 0 }
    run: touch ran.txt; exit 1
`;
    const repository = stack.repository();
    const run = await stack.run(repository, text);
    expect(run.of('step.skipped').map(({ step }) => step)).toEqual(['guarded']);
    expect([run.of('attempt.started'), there(repository, 'ran.txt')]).toEqual([[], false]);
  });

  test('F07: while a task waits the other branch goes on, and what follows the task waits', async () => {
    const text = `steps:
  - id: review
    action: human.task
    with: { prompt: Look at it }
  - id: independent
    run: printf 'independent\\n'
    stdout: independent.txt
  - id: after_review
    depends: review
    run: printf 'resumed\\n'
    stdout: resumed.txt
`;
    const repository = stack.repository();
    const { runId } = await started(repository, text);
    expect([read(repository, 'independent.txt'), there(repository, 'resumed.txt')]).toEqual(['independent\n', false]);
    expect((await stack.cli(['complete', runId])).code).toBe(0);
    expect(await ended(runId)).toBe(0);
    expect(read(repository, 'resumed.txt')).toBe('resumed\n');
  });

  test('F09: a typed form: a wrong word is refused, defaults are filled, the same answer again is the same', async () => {
    const text = `steps:
  - id: choose
    action: human.task
    with:
      prompt: Where to?
      form:
        type: object
        required: [environment]
        properties:
          environment: { type: string, enum: [staging, production] }
          replicas: { type: integer, minimum: 1, default: 2 }
          notify: { type: boolean, default: true }
  - id: record
    depends: choose
    env:
      TARGET: \${steps.choose.outputs.environment}
      REPLICAS: \${steps.choose.outputs.replicas}
      NOTIFY: \${steps.choose.outputs.notify}
    run: printf '%s,%s,%s\\n' "$TARGET" "$REPLICAS" "$NOTIFY"
    stdout: release.txt
`;
    const repository = stack.repository();
    const { runId, task = '' } = await started(repository, text);
    expect((await stack.cli(['complete', task, '--set', 'environment=moon'])).code).toBe(2);
    expect((await stack.cli(['complete', task, '--set', 'environment=production'])).code).toBe(0);
    expect((await stack.cli(['complete', task, '--set', 'environment=production'])).code).toBe(0);
    expect(await ended(runId)).toBe(0);
    expect(read(repository, 'release.txt')).toBe('production,2,true\n');
  });
});

describe.concurrent('faults that people met', () => {
  test.each([
    ['a child in the background', '(sleep 600) &'],
    ['a child in a session of its own', 'setsid sleep 600 &'],
  ])('R013: %s does not keep the step', async (_, child) => {
    const run = await stack.run(stack.repository(), `steps:\n  - id: a\n    run: "echo ready; ${child}"\n`);
    expect(run.code).toBe(0);
    expect(run.of('attempt.finished')[0]?.result.findings).toEqual([expect.stringMatching(/^leftover: .*sleep/)]);
  });

  test('R021, D-04: out of attempts with nothing after it the step is succeeded, and the event says that it was exhausted', async () => {
    const text =
      'steps:\n  - id: a\n    run: echo x\n    repeat_policy: { repeat: until, condition: "false", limit: 2 }\n';
    const run = await stack.run(stack.repository(), text);
    expect(run.code).toBe(0);
    expect(run.of('step.succeeded')[0]?.note).toContain('exhausted');
  });

  test('R037: a folded text is one command, deeper lines are their own, a comment of YAML is none of the command', async () => {
    const text = `steps:
  - id: folded
    run: >-
      echo lint
      make test
    stdout: folded.txt
  - id: deeper
    run: >-
      echo lint
        echo test
    stdout: deeper.txt
  - id: comment
    run: echo test # all
    stdout: comment.txt
`;
    const repository = stack.repository();
    expect((await stack.run(repository, text)).code).toBe(0);
    expect(['folded', 'deeper', 'comment'].map((name) => read(repository, `${name}.txt`))).toEqual([
      'lint make test\n',
      'lint\ntest\n',
      'test\n',
    ]);
  });

  test.each([
    ['until', 'condition: "not-a-number"\n      expected: "num:>=1"'],
    ['while', 'condition: "not-a-number"\n      expected: "num:>=1"'],
    ['until', 'condition: no-such-command-anywhere'],
  ])(
    'R039, D-16: a condition that cannot be judged is neither met nor unmet (%s, %s), and the time of the run ends it',
    async (mode, condition) => {
      const text = `timeout_sec: 4
steps:
  - id: a
    run: echo x
    repeat_policy:
      repeat: ${mode}
      interval_sec: 1
      ${condition}
`;
      const run = await stack.run(stack.repository(), text);
      expect([run.code, run.outcome.stop]).toEqual([1, 'timed_out']);
      expect(run.of('run.paused').map(({ code }) => code)).toEqual(['condition_error']);
      expect(run.of('loop.fired')).toEqual([]);
    },
  );
});
