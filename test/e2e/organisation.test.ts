import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { RunListed, RunOutcome } from '#core/contract/http.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await sharedStack();
});

const value = 'stored-deploy-key-5150';
const steps = {
  use: { run: 'echo "it is $DEPLOY_KEY" | tee told', secrets: ['DEPLOY_KEY'], checks: ['cat told; test -s told'] },
};

describe('definitions, secrets and people by the command line', () => {
  test('H4: a run without its secret costs nothing; a stored one reaches the step and nothing that is told', async () => {
    const repository = stack.repository();
    const project = ['--project', 'secretive'];
    const file = repository.definition({ steps, limits: { time: '10m' }, deliver: 'none' });
    const cli = (...argv: string[]) => stack.cli([...argv, ...project], { cwd: repository.path });
    const put = await cli('definitions', 'put', file, '--name', 'deploy');
    expect([put.code, put.stderr]).toEqual([0, expect.stringContaining('deploy is stored as version 1')]);

    const without = await cli('run', 'deploy', '--quiet');
    expect(without.code).toBe(5);
    const { runId, stop, spend } = RunOutcome.parse(JSON.parse(without.stdout));
    expect([stop, spend]).toEqual(['failed_to_start', 0]);
    expect((await cli('show', runId)).stdout).toContain('setpoint secrets set DEPLOY_KEY');

    const set = await stack.call('/v1/secrets/DEPLOY_KEY', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value, project: 'secretive' }),
    });
    expect(set.status).toBe(201);
    const ended = await cli('run', 'deploy', '--json');
    expect(ended.code).toBe(0);
    const last = RunOutcome.parse(JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? ''));
    const logs = await cli('logs', last.runId);
    expect(logs.stdout).toContain('it is [redacted]');
    const shown = await (await stack.call(`/v1/runs/${last.runId}`)).text();
    const events = await (await stack.call(`/v1/runs/${last.runId}/events`)).text();
    expect(events).toContain('it is [redacted]');
    for (const told of [ended.stdout, ended.stderr, logs.stdout, shown, events]) expect(told).not.toContain(value);
    // Of the whole home, database and engine included, only the work holds it: the step wrote it there.
    const found = spawnSync('grep', ['-rlF', value, stack.home, '--exclude-dir=worktrees'], { encoding: 'utf8' });
    expect([found.stdout, found.status]).toEqual(['', 1]);
  });

  test('a person starts runs by name with a token of their own, until it is taken away', async () => {
    const repository = stack.repository();
    const file = repository.definition({ steps: { a: { run: 'true', checks: ['true'] } }, limits: { time: '10m' } });
    await stack.cli(['definitions', 'put', file, '--name', 'simple'], { cwd: repository.path });
    const token = (await stack.cli(['people', 'add', 'ada', '--team', 'web'])).stdout.trim();
    const env = { SETPOINT_TOKEN: token };
    const started = await stack.cli(['run', 'simple', '--detach'], { cwd: repository.path, env });
    expect(started.code).toBe(0);
    const { runId } = RunOutcome.parse(JSON.parse(started.stdout));
    const listed = await stack.cli(['runs', '--json', '--search', runId], { env });
    expect(RunListed.parse(JSON.parse(listed.stdout)).createdBy).toBe('ada');
    expect((await stack.cli(['people', 'remove', 'ada'], { env })).stderr).toContain('http/forbidden');
    expect((await stack.cli(['people', 'remove', 'ada'])).code).toBe(0);
    expect((await stack.cli(['runs'], { env })).stderr).toContain('http/unauthorized');
  });
});
