import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunList } from '#core/contract/http.ts';
import { loopOf } from '../integration/steered-runs.ts';
import { ownStack, type TestStack } from './stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await ownStack({ SETPOINT_LOOPS: 'off' });
});
afterAll(() => stack.close());

test('E-27: a stack with loops switched off tells the setting, and refuses a run with exit 5; nothing is stored', async () => {
  const repository = stack.repository();
  const cli = (...argv: string[]) => stack.cli(argv, { cwd: repository.path });
  const file = repository.definition(loopOf({ passes: ['touch result'], check: 'test -e result' }));
  const started = await cli('run', file, '--quiet');
  expect([started.code, started.stderr]).toEqual([5, expect.stringContaining('server/loops-off')]);
  expect((await cli('run', file, '--dry-run')).code).toBe(5);
  const suggested = await cli('init', '--suggest', 'Accept CSV.', '--agent', 'claude');
  expect([suggested.code, suggested.stderr]).toEqual([5, expect.stringContaining('no agent is asked')]);
  expect((await cli('status', '--config')).stdout).toMatch(/^SETPOINT_LOOPS +off +environment$/m);
  const listed = RunList.parse(await (await stack.call('/v1/runs')).json());
  expect(listed.runs).toEqual([]);
});
