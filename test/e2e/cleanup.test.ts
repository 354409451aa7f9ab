import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CleanupShown } from '#core/contract/cleanup.ts';
import { allPids, commandOf } from '#infra/process/process-table.ts';
import { jsonRun } from './cli.ts';
import { until } from '../faults/until.ts';
import { untilExists } from './until.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const failing = {
  task: 'Mend it.',
  agent: { name: 'scripted', passes: ['echo worked >> note.txt; echo said'] },
  checks: [{ name: 'never', run: 'false' }],
  limits: { passes: 1 },
};
const worktreeOf = (runId: string) => join(stack.home, 'worktrees', runId, 'work');
const cleanup = async (runId: string, ...flags: string[]) => {
  const { code, stdout, stderr } = await stack.cli(['cleanup', runId, ...flags]);
  return { code, stderr, shown: code === 0 ? CleanupShown.parse(JSON.parse(stdout)) : undefined };
};

describe.concurrent('T-29: setpoint cleanup', () => {
  test('T-29: removes the worktree of a run; show, diff, logs and retry go on working; its snapshots go when asked', async () => {
    const repository = stack.repository();
    const { outcome } = await stack.run(repository, failing);
    const { runId } = outcome;
    const refs = () => repository.git('for-each-ref', '--format=%(refname)', `refs/setpoint/${runId}`);
    expect([outcome.stop, existsSync(worktreeOf(runId))]).toEqual(['exhausted', true]);
    const before = refs();

    expect((await cleanup(runId, '--dry-run')).shown?.removed?.worktree).toBe(worktreeOf(runId));
    expect(existsSync(worktreeOf(runId))).toBe(true);
    expect((await cleanup(runId)).shown?.removed?.worktree).toBe(worktreeOf(runId));
    expect([existsSync(worktreeOf(runId)), refs()]).toEqual([false, before]);
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
    expect((await cleanup(runId)).shown?.removed?.worktree).toBeNull();

    expect((await stack.cli(['show', runId])).stdout).toContain('exhausted');
    expect((await stack.cli(['diff', runId])).stdout).toContain('+worked');
    expect((await stack.cli(['logs', runId])).stdout).toBe('said\n');
    expect((await stack.cli(['retry', runId])).code).toBe(0);
    const again = jsonRun(await stack.cli(['watch', runId, '--json']));
    expect(again.outcome.stop).toBe('exhausted');
    expect((await stack.cli(['diff', runId])).stdout).toContain('+worked\n+worked');

    const last = await cleanup(runId, '--snapshots');
    expect(last.shown?.removed).toMatchObject({ worktree: worktreeOf(runId), keptRefs: 0 });
    expect([existsSync(worktreeOf(runId)), refs()]).toEqual([false, '']);
    expect((await stack.cli(['logs', runId])).stdout).toBe('said\nsaid\n');
  });

  test('T-09: a worktree that is not to be kept goes by itself once the run has ended; a retry builds it anew, set up', async () => {
    const repository = stack.repository();
    const workspace = { afterwards: 'remove', setup: 'echo ready > ready' };
    const checks = [{ name: 'never', run: 'cat ready; false' }];
    const { outcome } = await stack.run(repository, { ...failing, checks, workspace, artifacts: true });
    const { runId } = outcome;
    const places = [worktreeOf(runId), join(stack.home, 'run-artifacts', runId)];
    const gone = () => until('both are gone', () => (places.some((place) => existsSync(place)) ? undefined : true));
    expect(outcome.stop).toBe('exhausted');
    await gone();
    expect((await stack.cli(['diff', runId])).stdout).toContain('+worked');
    expect((await stack.cli(['retry', runId])).code).toBe(0);
    expect(jsonRun(await stack.cli(['watch', runId, '--json'])).outcome.stop).toBe('exhausted');
    expect((await stack.cli(['diff', runId])).stdout).toContain('+worked\n+worked');
    await gone();
  });

  test('T-23, T-29: Ctrl-C in the foreground keeps the worktree, and cleanup refuses its unsaved work', async () => {
    const repository = stack.repository();
    const mark = '6123.41';
    const file = repository.definition({ steps: { work: { run: `echo half > half.txt; sleep ${mark}` } } });
    const following = stack.start(['run', file, '--json', '--foreground'], { cwd: repository.path });
    const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
    await following.says(/"type":"attempt\.started"/);
    const worktree = worktreeOf(runId);
    await untilExists(join(worktree, 'half.txt'));
    const early = await cleanup(runId);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('(run/not-ended)')]);

    following.child.kill('SIGINT');
    const ended = jsonRun(await following.ended);
    expect([ended.code, ended.outcome.stop]).toEqual([4, 'cancelled']);
    expect(allPids().filter((pid) => commandOf(pid).includes(mark))).toEqual([]);
    expect(readdirSync(worktree)).toContain('half.txt');

    const refused = await cleanup(runId);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('half.txt. (run/unsaved-work)')]);
    expect(existsSync(join(worktree, 'half.txt'))).toBe(true);
  });
});
