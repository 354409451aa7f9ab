import { existsSync, mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { median } from './figures.ts';
import { ended, readNanoseconds, startRun } from './loops.ts';
import { type BenchStack, freshFolder, runNode, setpoint } from './stack.ts';

const file = 'started';

function definition() {
  return `setpoint: 1
name: start
workspace: { repo: ., worktree: false }
deliver: none
steps:
  only: { run: "date +%s%N > ${file}" }
`;
}

/** From the call of `setpoint run` to the first process, on a stack that is up; seconds. */
export async function measureCliStart(stack: BenchStack, rounds: number): Promise<number> {
  const folder = loopFolder();
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const called = Date.now();
    await stack.cli(['run', 'start.loop.yaml', '--quiet'], folder);
    figures.push((readNanoseconds(join(folder, file)) - called) / 1000);
  }
  return median(figures);
}

/** From the API call to the first process; seconds. */
export async function measureApiStart(stack: BenchStack, rounds: number): Promise<number> {
  const folder = loopFolder();
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const steps = { only: { run: `date +%s%N > ${file}` } };
    const workspace = { repo: '.', worktree: false };
    const called = Date.now();
    const runId = await startRun(stack, { setpoint: 1, name: 'start', workspace, deliver: 'none', steps }, folder);
    await ended(stack, runId);
    figures.push((readNanoseconds(join(folder, file)) - called) / 1000);
  }
  return median(figures);
}

/** Installed and never started: from `setpoint run` in an empty home to the first process; seconds. */
export async function measureColdStart(): Promise<number> {
  const folder = loopFolder();
  const home = join(folder, 'home');
  const env = { ...process.env, SETPOINT_HOME: home };
  const called = Date.now();
  await runNode([setpoint, 'run', 'start.loop.yaml', '--quiet'], { cwd: folder, env });
  const seconds = (readNanoseconds(join(folder, file)) - called) / 1000;
  await runNode([setpoint, 'down'], { cwd: folder, env });
  rmSync(folder, { recursive: true, force: true });
  return seconds;
}

function loopFolder(): string {
  const folder = freshFolder();
  writeFileSync(join(folder, 'start.loop.yaml'), definition());
  return folder;
}

/** kill -9 of the host worker in mid-attempt to the next attempt's process; seconds. */
export async function measureRecovery(stack: BenchStack, rounds: number): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) figures.push(await recoverOnce(stack));
  return median(figures);
}

async function recoverOnce(stack: BenchStack): Promise<number> {
  const folder = freshFolder();
  const marks = join(folder, 'marks');
  mkdirSync(marks);
  // The first process waits for ever; the second one sees its mark and ends.
  const run = `if [ -e marks/1 ]; then date +%s%N > marks/2; else touch marks/1; sleep 600; fi`;
  const workspace = { repo: '.', worktree: false };
  const runId = await startRun(
    stack,
    { setpoint: 1, name: 'recovery', workspace, deliver: 'none', steps: { only: { run } } },
    folder,
  );
  await untilThere(marks, '1');
  const host = stack.stack().processes.find(({ role }) => role === 'host');
  if (host?.pid == null) throw new TypeError('the host has no pid');
  const killed = Date.now();
  process.kill(host.pid, 'SIGKILL');
  await ended(stack, runId);
  await hostIsBack(stack, host.pid);
  return (readNanoseconds(join(marks, '2')) - killed) / 1000;
}

async function untilThere(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  try {
    while (!existsSync(join(folder, name))) await once(watcher, 'change', { signal: AbortSignal.timeout(30_000) });
  } finally {
    watcher.close();
  }
}

async function hostIsBack(stack: BenchStack, before: number): Promise<void> {
  for (;;) {
    const host = stack.stack().processes.find(({ role }) => role === 'host');
    if (host?.state === 'running' && host.pid !== before) return;
    await delay(50);
  }
}
