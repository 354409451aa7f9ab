import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { RunListed, RunOutcome } from '#core/contract/http.ts';
import { until } from '../faults/until.ts';
import type { Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';
import type { CliEnded } from './cli.ts';

let stack: TestStack;
let repository: Repository;
beforeAll(async () => {
  stack = await sharedStack();
  repository = stack.repository();
});

const cli = (...argv: string[]): Promise<CliEnded> => stack.cli(argv, { cwd: repository.path });
const runOf = async (runId: string) => RunListed.parse(await (await stack.call(`/v1/runs/${runId}`)).json());
const stands = (runId: string, status: string) =>
  until(`${runId} is ${status}`, async () => {
    const { summary } = await runOf(runId);
    return summary.status === status ? summary : undefined;
  });
/** HOME of the agent. */
const homeOf = (runId: string) => join(stack.home, 'agent-homes', runId, 'agents', 'work');
/** The passes that its process was started for. */
const paid = (runId: string) =>
  readFileSync(join(homeOf(runId), 'log'), 'utf8')
    .trim()
    .split('\n');

test('E3, E8, T-22: a person pauses, edits, raises, retries and forks a run by the command line', async () => {
  const passes = [1, 2, 3, 4].map(
    (n) => `echo ${n} >> ~/log; echo ${n} > n; until test -e ~/go || test ${n} != 1; do sleep 0.05; done`,
  );
  const definition = (check: string) => ({
    name: 'Steered',
    task: 'Do it.',
    agent: { name: 'scripted', passes },
    checks: [{ name: 'n', run: check }],
    limits: { passes: 2, time: '10m', noProgress: 0 },
    onExhausted: 'pause',
    baseline: 'off',
    deliver: 'none',
  });
  const started = await cli('run', repository.definition(definition('test "$(cat n)" = 9')), '--detach');
  const { runId } = RunOutcome.parse(JSON.parse(started.stdout));
  await until('the first pass', async () => (await runOf(runId)).summary.passes === 1 || undefined);

  // The attempt that is under way is judged first; nothing begins after it.
  const paused = await cli('pause', runId, '--reason', 'look first');
  expect([paused.code, RunOutcome.parse(JSON.parse(paused.stdout)).status]).toEqual([0, 'paused']);
  expect(paused.stderr).toContain('What is under way ends first');
  writeFileSync(join(homeOf(runId), 'go'), '');
  await until('its verdict', async () => (await cli('show', runId)).stdout.includes('✗ work · n') || undefined);
  expect(paid(runId)).toEqual(['1']);

  // Edited, it counts from the next pass.
  const edited = await cli('edit', runId, repository.definition(definition('test "$(cat n)" = 5')));
  expect([edited.code, edited.stderr]).toEqual([0, expect.stringContaining(`setpoint resume ${runId}`)]);
  expect((await cli('edit', runId, '--print')).stdout).toContain('= 5');
  const revised = repository.definition(definition('test "$(cat n)" = 3'));
  expect((await cli('resume', runId, '--task', revised)).code).toBe(0);
  expect((await cli('edit', runId, '--print')).stdout).toContain('= 3');
  const exhausted = await stands(runId, 'paused');
  expect(exhausted.remedy).toContain('setpoint raise');
  const held = await cli('resume', runId);
  expect([held.code, held.stderr]).toEqual([2, expect.stringMatching(/run\/cause-holds.*\n.*setpoint raise/)]);
  expect((await cli('raise', runId, '--passes', '2')).code).toBe(2);
  expect((await cli('raise', runId, '--passes', '3')).code).toBe(0);
  expect((await cli('watch', runId, '--quiet')).code).toBe(0);
  expect(paid(runId)).toEqual(['1', '2', '3']);

  // A fork after pass 2 begins with its tree, and pays no pass before again.
  const fork = await cli('fork', runId, '--at', 'work:2', '--name', 'Forked', '--quiet');
  expect(fork.code).toBe(0);
  const forked = RunOutcome.parse(JSON.parse(fork.stdout));
  expect(paid(forked.runId)).toEqual(['3']);
  expect(paid(runId)).toEqual(['1', '2', '3']);
  expect((await cli('show', forked.runId)).stdout).toContain(`forked from ${runId} after work:2`);
  expect((await cli('show', runId)).stdout).toContain(`forked into ${forked.runId} after work:2`);
  expect((await cli('fork', runId, '--at', 'work:9')).stderr).toContain('work:3, work:2, work:1');

  // What has succeeded is done again only by the step.
  expect((await cli('retry', runId)).stderr).toContain('run/succeeded');
  expect((await cli('retry', runId, '--from', 'work')).code).toBe(0);
  await until('the fourth pass', async () => paid(runId).length >= 4 || undefined);
  expect((await cli('cancel', runId)).code).toBe(0);
  expect((await cli('watch', runId, '--quiet')).code).toBe(4);
});
