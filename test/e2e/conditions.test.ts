import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { fakeClaude } from './fake-claude.ts';
import type { Files, Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../dialects/conditions/fixtures/${name}`, import.meta.url)), 'utf8');
/** What the agent of a step was asked, pass by pass, and with which arguments. */
const asked = (runId: string, step: string): string[] => {
  const home = join(stack.home, 'agent-homes', runId, 'agents', step);
  const names = readdirSync(home).filter((name) => name.startsWith('asked-'));
  return names.toSorted().map((name) => readFileSync(join(home, name), 'utf8'));
};
const packageOf = (test_: string): Files => ({
  'package.json': JSON.stringify({ name: 'x', scripts: { test: test_ } }),
});
const repository = (work: string, files: Files): Repository =>
  stack.repository({ 'fake-agent': fakeClaude({ work }), ...files });

describe.concurrent('prompts with conditions, from their file', () => {
  test('C-10, C-06: the regression-test recipe runs as written: again while npm test passes, on once it fails', async () => {
    const writes = 'if [ "$pass" = 1 ]; then echo true > test.sh; else echo false > test.sh; fi';
    const here = repository(writes, { ...packageOf('sh ./test.sh'), 'test.sh': 'true\n' });
    const ended = await stack.run(here, fixture('regression-test.yaml'));
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 2]);
    const [first = '', second = ''] = asked(ended.outcome.runId, 'step-1');
    expect(first).toContain('Write a regression test for issue');
    expect(second).toContain('npm test still passes, so the new test does not reproduce the bug.');
    expect(second).not.toContain('Write a regression test');
    expect(second).toContain('--resume=the-session');
    // The work is done in the checkout itself (C-01, F4).
    expect(readFileSync(join(here.path, 'test.sh'), 'utf8')).toBe('false\n');
  });

  test('C-08, C-07: the budget used up while it still passes lets the workflow go on', async () => {
    const here = repository('echo "$pass" >> passes', packageOf('true'));
    const ended = await stack.run(here, `${fixture('regression-test.yaml')}  - prompt: And the next one.\n`);
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    expect(asked(ended.outcome.runId, 'step-1')).toHaveLength(4);
    expect(asked(ended.outcome.runId, 'step-2')[0]).toContain('And the next one.');
  });

  test('C-02, C-05, C-12: the example of the end condition: what the script said reaches the next prompt', async () => {
    const fails = `sh -c 'echo "2 failed {stderr} $& {{x}}"; echo "at line 3" >&2; test -e mended'`;
    const here = repository('test "$pass" = 1 || touch mended', packageOf(fails));
    const ended = await stack.run(here, fixture('validated.yaml'));
    expect([ended.code, ended.outcome.passes]).toEqual([0, 2]);
    const [first = '', second = ''] = asked(ended.outcome.runId, 'step-1');
    expect(first).toContain('Mend the failing tests.');
    expect(second).toMatch(
      /Validation failed\.\nstdout:\n[^]*2 failed \{stderr\}[^]*\{\{x\}\}[^]*stderr:\n[^]*at line 3/,
    );
    expect(second).toContain('--resume=the-session');
  });

  test('C-14: the fail budget used up fails the step, and the workflow stops there', async () => {
    const here = repository('echo "$pass" >> passes', packageOf('false'));
    const ended = await stack.run(here, `${fixture('validated.yaml')}  - prompt: Never asked.\n`);
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'exhausted']);
    expect(asked(ended.outcome.runId, 'step-1')).toHaveLength(3);
    expect(ended.of('attempt.started').map(({ step }) => step)).toEqual(['step-1', 'step-1', 'step-1']);
  });

  test('C-13, R039: a script that cannot run is no verdict; onFail applies, with the cause in {stderr}', async () => {
    const here = repository(
      'test "$pass" = 1 || { echo "#!/bin/sh" > check.sh; chmod +x check.sh; }',
      packageOf('true'),
    );
    const endCondition = {
      script: './check.sh',
      returns: 'true',
      maxRetries: 2,
      retryPrompt: 'It said: {stderr}|{exitCode}',
    };
    const ended = await stack.run(here, { agent: 'claude', steps: [{ prompt: 'Go.', endCondition }] });
    expect([ended.code, ended.outcome.passes]).toEqual([0, 2]);
    expect(asked(ended.outcome.runId, 'step-1')[1]).toMatch(/It said: [^]*could not run[^]*\|127/);
    const kinds = ended.of('condition.judged').map(({ outcome }) => outcome.kind);
    expect(kinds).toEqual(['error', 'error', 'error', 'met']);
  });

  test('C-13: a script that takes longer than its `timeout` is no verdict either, and says so in {stderr}', async () => {
    const here = repository('echo "$pass" > passes', packageOf('true'));
    const endCondition = {
      script: 'echo begun >&2; test "$(cat passes)" = 2 || sleep 60',
      returns: 'true',
      timeout: 400,
      retryPrompt: 'It said: {stderr}|{exitCode}|',
    };
    const ended = await stack.run(here, { agent: 'claude', steps: [{ prompt: 'Go.', endCondition }] });
    expect([ended.code, ended.outcome.passes]).toEqual([0, 2]);
    expect(ended.of('condition.judged').map(({ outcome }) => outcome.kind)).toEqual(['error', 'error', 'error', 'met']);
    expect(asked(ended.outcome.runId, 'step-1')[1]).toMatch(/It said: begun\s+it did not end within 0\.4 s\|\|/);
  });

  test('C-11, C-04: a pre-condition skips a prompt, and stops the workflow', async () => {
    const here = repository('touch "asked-$pass"', packageOf('true'));
    const skips = { script: 'test -e never', returns: 'true' };
    const stops = { script: 'echo dirty', compareSource: 'stdout', returns: 'clean', onFail: 'stopWorkflow' };
    const steps = [
      { prompt: 'Skipped.', preCondition: skips },
      { prompt: 'Asked.' },
      { prompt: 'Never reached.', preCondition: stops },
    ];
    const ended = await stack.run(here, { agent: 'claude', steps });
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'failed']);
    expect(ended.of('attempt.started').map(({ step }) => step)).toEqual(['step-2']);
    expect(ended.of('step.skipped').map(({ step }) => step)).toContain('step-1');
  });
});
