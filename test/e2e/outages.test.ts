import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#infra/stack/free-port.ts';
import { childrenOf } from '#infra/process/process-table.ts';
import { jsonRun, type RunningCli } from './cli.ts';
import { ownStack, type TestStack } from './stack.ts';
import { untilExists } from './until.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await ownStack();
});

afterAll(() => stack.close());

/** An agent that works until its file `go` exists: a test can do something while it does. */
const held = {
  task: 'Mend it.',
  agent: { name: 'scripted', passes: ['echo x > x; touch ~/works; until test -e ~/go; do sleep 0.1; done'] },
  checks: ['test -e x'],
  baseline: 'off',
};

interface Held {
  following: RunningCli;
  runId: string;
  worktree: string;
  release(): void;
}

async function holdRun(definition: object = held): Promise<Held> {
  const repository = stack.repository();
  const following = stack.start(['run', repository.definition(definition), '--json'], { cwd: repository.path });
  const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
  const agentHome = join(stack.home, 'agent-homes', runId, 'agents', 'work');
  await untilExists(join(agentHome, 'works'));
  return {
    following,
    runId,
    worktree: join(stack.home, 'worktrees', runId, 'work'),
    release: () => writeFileSync(join(agentHome, 'go'), ''),
  };
}

describe('while a run is under way', () => {
  test('a workspace deleted by hand is rebuilt from the last snapshot, and the run succeeds (F1, R043)', async () => {
    const run = await holdRun();
    rmSync(run.worktree, { recursive: true, force: true });
    run.release();
    const ended = jsonRun(await run.following.ended);
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 1]);
    const ends = ended.of('attempt.finished').map(({ result }) => result.end);
    expect(ends).toEqual([{ kind: 'crashed', reason: expect.stringMatching(/deleted the workspace/) }, { kind: 'ok' }]);
  });

  test.each(['postgres', 'temporal'] as const)(
    '%s gone and back: the command says so, nothing is lost, the run succeeds (E5)',
    async (role) => {
      const run = await holdRun();
      const before = stack.pidOf(role);
      process.kill(before, 'SIGKILL');
      run.release();
      const ended = jsonRun(await run.following.ended);
      expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 1]);
      expect(ended.of('attempt.started')).toHaveLength(1);
      expect(stack.pidOf(role)).not.toBe(before);
    },
  );

  test('a database that hangs: commands end with 5 and a message in time; once it is back the run goes on', async () => {
    const run = await holdRun();
    const postmaster = stack.pidOf('postgres');
    const pids = [postmaster, ...childrenOf(postmaster)];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      const listed = await stack.cli(['runs']);
      expect(listed.code).toBe(5);
      expect(listed.stderr).toMatch(/database[\s\S]*Check that it runs/);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    run.release();
    const ended = jsonRun(await run.following.ended);
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
  });
});

describe.concurrent('what a stack stands on', () => {
  test('a port that is taken: the stack takes another one and says which', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    const own = await ownStack({ SETPOINT_PORT: String(port) });
    try {
      const up = await own.cli(['up', '--detach']);
      expect(up.code).toBe(0);
      expect(own.state().url).not.toContain(`:${port}`);
      expect(up.stdout).toContain(own.state().url);
    } finally {
      await own.close();
      other.close();
    }
  });

  test.each([
    ['SETPOINT_DATABASE_URL', (port: number) => `postgres://someone:very-secret@127.0.0.1:${port}/x`],
    ['SETPOINT_TEMPORAL_ADDRESS', (port: number) => `127.0.0.1:${port}`],
  ])(
    '%s that does not answer: exit 5, the setting and the remedy are said, and nothing is left running',
    async (name, of) => {
      const port = await freePort();
      const own = await ownStack({ [name]: of(port) });
      try {
        const repository = own.repository();
        const ended = await own.cli(['run', repository.definition(held)], { cwd: repository.path });
        expect(ended.code).toBe(5);
        expect(ended.stderr).toMatch(new RegExp(`127\\.0\\.0\\.1:${port} \\(${name}\\)`));
        expect(ended.stderr).toContain('unset it');
        expect(ended.stderr).not.toContain('very-secret');
        expect((await own.cli(['status'])).code).toBe(5);
      } finally {
        await own.close();
      }
    },
  );

  test('a full disk: the run says so and waits, spends no pass, and goes on by itself when there is space (store/disk-full)', async () => {
    const disk = mountSmallDisk(256);
    const own = await ownStack({ SETPOINT_ARTIFACTS: `file:${disk.path}` });
    try {
      const repository = own.repository();
      const file = repository.definition({ steps: { work: { run: `head -c 1000000 /dev/zero | tr '\\0' x` } } });
      const following = own.start(['run', file, '--json'], { cwd: repository.path });
      await following.says(/disk is full/);
      disk.grow(64 * 1024);
      const ended = jsonRun(await following.ended);
      expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 1]);
    } finally {
      await own.close();
      disk.unmount();
    }
  });
});

interface SmallDisk {
  path: string;
  grow(kib: number): void;
  unmount(): void;
}

/** A file system in memory of so many KiB; as another user than root by sudo, which must not ask. */
function mountSmallDisk(kib: number): SmallDisk {
  const path = join(stack.scratch, 'small-disk');
  mkdirSync(path);
  const root = (...argv: string[]) => {
    const [program = '', ...args] = process.getuid?.() === 0 ? argv : ['sudo', '-n', ...argv];
    execFileSync(program, args, { stdio: 'pipe' });
  };
  root('mount', '-t', 'tmpfs', '-o', `size=${kib}k,mode=777`, 'setpoint-test', path);
  return {
    path,
    grow: (to) => root('mount', '-o', `remount,size=${to}k`, path),
    unmount: () => root('umount', path),
  };
}
