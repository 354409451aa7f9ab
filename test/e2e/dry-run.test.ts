import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RunList } from '#core/contract/http.ts';
import { loopOf } from '../integration/steered-runs.ts';
import { sharedStack } from './stack.ts';

test('T-22: a dry run against a server that runs leaves no run, worktree, ref or file behind', async () => {
  const stack = await sharedStack();
  const repository = stack.repository();
  const file = repository.definition(loopOf({ passes: ['touch result'], check: 'test -e result' }));
  const traces = async () => ({
    runs: RunList.parse(await (await stack.call('/v1/runs?project=dry')).json()).runs,
    refs: repository.git('for-each-ref'),
    worktrees: repository.git('worktree', 'list'),
    files: readdirSync(repository.path),
  });
  const before = await traces();
  const { code, stdout } = await stack.cli(['run', file, '--dry-run', '--project', 'dry'], { cwd: repository.path });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    dryRun: true,
    project: 'dry',
    base: repository.git('rev-parse', 'HEAD'),
    agents: [],
  });
  expect(await traces()).toEqual(before);
  expect(before.runs).toEqual([]);
});
