import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { RunShown } from '#core/contract/http.ts';

import { median } from './figures.ts';
import { measureIdle } from './idle.ts';
import { ended, readNanoseconds, startRun } from './loops.ts';
import { type BenchStack, freshFolder } from './stack.ts';

const file = 'started';

/** A person is asked, then one command writes down when it began. */
const asking = {
  setpoint: 1,
  name: 'ask',
  workspace: { repo: '.', worktree: false },
  deliver: 'none',
  steps: {
    agree: { person: { ask: 'Shall it go on?' } },
    only: { run: `date +%s%N > ${file}`, after: 'agree' },
  },
};

/** From a decision to the first process after it, warm; seconds. */
export async function measureDecision(stack: BenchStack, rounds: number): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const folder = freshFolder();
    const runId = await startRun(stack, asking, folder);
    figures.push(await decide(stack, { runId, folder }));
  }
  return median(figures);
}

interface Waiting {
  runId: string;
  folder: string;
}

async function decide(stack: BenchStack, { runId, folder }: Waiting): Promise<number> {
  const task = await asked(stack, runId);
  const decided = Date.now();
  await stack.call(`/v1/tasks/${task}/decisions`, { decision: 'approve' });
  await ended(stack, runId);
  return (readNanoseconds(join(folder, file)) - decided) / 1000;
}

/** The task that the run waits for. */
async function asked(stack: BenchStack, runId: string): Promise<string> {
  for (;;) {
    const { summary } = RunShown.parse(await stack.call(`/v1/runs/${runId}`));
    if (summary.task !== undefined) return summary.task;
  }
}

export interface WaitingFigures {
  /** Memory of all processes together, for each run that waits. */
  kilobytesEach: number;
  cpuPercent: number;
  /** A decision on one of them, seconds. */
  decision: number;
}

const sideBySide = 50;

/** Runs that fill the caches, which have a bound, and warm the processes. */
const warming = 300;

/** What `count` more runs cost that wait for people. */
export async function measureWaiting(stack: BenchStack, count: number): Promise<WaitingFigures> {
  const root = freshFolder();
  const first = await startWaiting(stack, join(root, 'warm'), warming);
  const before = await measureIdle(stack);
  const runs = await startWaiting(stack, join(root, 'more'), count);
  await untilAllWait(stack, first.length + runs.length);
  const last = runs.at(-1);
  if (last === undefined) throw new TypeError('no run waits');
  const after = await measureIdle(stack);
  const decisions: number[] = [];
  for (const run of [runs[0] ?? last, runs[Math.floor(count / 2)] ?? last, last])
    decisions.push(await decide(stack, run));
  const kilobytesEach = ((after.megabytes - before.megabytes) * 1024) / count;
  return { kilobytesEach, cpuPercent: after.cpuPercent - before.cpuPercent, decision: median(decisions) };
}

async function startWaiting(stack: BenchStack, root: string, count: number): Promise<Waiting[]> {
  const runs: Waiting[] = [];
  for (let index = 0; index < count; index += sideBySide) {
    const wanted = Math.min(sideBySide, count - index);
    const batch = Array.from({ length: wanted }, (_, offset) => join(root, `${index + offset}`));
    runs.push(...(await Promise.all(batch.map((folder) => waitIn(stack, folder)))));
  }
  await untilAllWait(stack, runs.length);
  return runs;
}

async function waitIn(stack: BenchStack, folder: string): Promise<Waiting> {
  mkdirSync(folder, { recursive: true });
  return { runId: await startRun(stack, asking, folder), folder };
}

const Counted = z.object({ runs: z.array(z.unknown()), cursor: z.string().optional() });

async function untilAllWait(stack: BenchStack, count: number): Promise<void> {
  for (;;) {
    let waiting = 0;
    let cursor = '';
    do {
      const page = Counted.parse(await stack.call(`/v1/runs?status=waiting&limit=200${cursor}`));
      waiting += page.runs.length;
      cursor = page.cursor === undefined ? '' : `&cursor=${page.cursor}`;
    } while (cursor !== '');
    if (waiting >= count) return;
  }
}
