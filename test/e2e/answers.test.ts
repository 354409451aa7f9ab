import { beforeAll, expect, test } from 'vitest';
import { RunOutcome } from '#core/contract/http.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await sharedStack();
});

const named = (field: string): string => `{{steps.approve.outputs.${field}}}`;

const definition = {
  setpoint: 1,
  steps: {
    write: {
      run: 'printf "[%s]" {{feedback}} {{steps.approve.output}} ' + named('comment') + ' > said.txt; cat said.txt',
    },
    approve: {
      after: 'write',
      person: {
        ask: 'Publish it?',
        form: { version: { type: 'string', required: true } },
        pushBackForm: { section: { type: 'string', required: true } },
      },
      loop: { to: 'write' },
    },
    publish: {
      after: 'approve',
      env: { VERSION: named('version') },
      run: `echo "$VERSION" ${named('version')} ${named('comment')} by ${named('decidedBy')}`,
    },
  },
  deliver: 'none',
};

test('D-08, D-09, D-10, V-22: a push back with its form reaches the agent, an answer reaches later steps by name', async () => {
  const repository = stack.repository();
  const cli = (...argv: string[]) => stack.cli(argv, { cwd: repository.path });
  const started = await cli('run', repository.definition(definition), '--no-wait', '--quiet');
  const { runId, task = '' } = RunOutcome.parse(JSON.parse(started.stdout));

  const unfilled = await cli('push-back', task, '--message', 'Shorter.');
  expect([unfilled.code, unfilled.stderr]).toEqual([2, expect.stringContaining('form.section is missing')]);
  expect((await cli('push-back', task, '--message', 'Shorter.', '--set', 'section=intro')).code).toBe(0);
  expect((await cli('watch', runId, '--no-wait', '--quiet')).code).toBe(3);
  const { stdout: asked } = await cli('logs', runId, '--step', 'write', '--pass', '2');
  expect(asked).toContain('- section: intro');
  // The whole answer stays, its comment by name is cleared.
  expect(asked).toMatch(/\[Shorter\.\s+- section: intro\]\[\]/);

  const message = "It's $HOME; fine";
  expect((await cli('approve', task, '--message', message, '--set', 'version=1.2')).code).toBe(0);
  expect((await cli('watch', runId, '--quiet')).code).toBe(0);
  const { stdout: published } = await cli('logs', runId, '--step', 'publish');
  expect(published).toMatch(/1\.2 1\.2 It's \$HOME; fine by \S+/);
});

test("D-08: completing a question of Dagu's needs what its form requires, and what was filled in reaches later steps", async () => {
  const repository = stack.repository();
  const cli = (...argv: string[]) => stack.cli(argv, { cwd: repository.path });
  const text = `steps:
  - id: ask
    action: human.task
    with:
      prompt: How many?
      form: { type: object, required: [n], properties: { n: { type: integer } } }
  - id: use
    depends: ask
    run: echo "it is \${steps.ask.outputs.n}"
`;
  const started = await cli('run', repository.definition(text), '--no-wait', '--quiet');
  const { runId, task = '' } = RunOutcome.parse(JSON.parse(started.stdout));
  const empty = await cli('complete', task);
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('form.n is missing')]);
  const wrong = await cli('complete', task, '--set', 'n=many');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('n must be a whole number')]);
  expect((await cli('complete', task, '--set', 'n=3')).code).toBe(0);
  expect((await cli('watch', runId, '--quiet')).code).toBe(0);
  expect((await cli('logs', runId, '--step', 'use')).stdout).toContain('it is 3');
});
