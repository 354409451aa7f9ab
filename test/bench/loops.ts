import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client, Connection } from '@temporalio/client';

import { EventPage, RunShown } from '#core/contract/http.ts';
import type { RunEvent } from '#core/run/event.ts';

import { median } from './figures.ts';
import { type BenchStack, freshFolder } from './stack.ts';

/** A loop of an agent that does nothing and a check that passes, for so many passes. */
function loopOf(passes: number, worktree: boolean) {
  return {
    setpoint: 1,
    name: 'bench',
    baseline: 'off',
    workspace: { repo: '.', worktree },
    deliver: 'none',
    limits: { time: '4h', noProgress: 0 },
    steps: {
      work: {
        agent: { name: 'custom', command: ['true'], prompt: 'stdin', output: 'text' },
        prompt: 'Do nothing.',
        checks: ['true'],
        loop: { to: 'work', on: 'always', limit: passes - 1, onExhausted: 'succeed' },
      },
    },
  };
}

export function freshRepository(): string {
  const repo = join(freshFolder(), 'repo');
  mkdirSync(repo, { recursive: true });
  writeFileSync(join(repo, 'README.md'), 'bench\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', ...args], { cwd: repo, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'base');
  return repo;
}

export async function startRun(stack: BenchStack, definition: unknown, repo: string): Promise<string> {
  const { runId } = RunShown.pick({ runId: true }).parse(
    await stack.call('/v1/runs', { definition, overrides: { repo } }),
  );
  return runId;
}

/** Waits until the run has ended, and insists that it succeeded. */
export async function ended(stack: BenchStack, runId: string): Promise<void> {
  for (;;) {
    const { summary } = RunShown.parse(await stack.call(`/v1/runs/${runId}?wait=60s`));
    if (summary.status !== 'ended') continue;
    if (summary.stop?.kind === 'succeeded') return;
    throw new TypeError(`${runId} ended ${JSON.stringify(summary.stop)}`);
  }
}

export async function eventsOf(stack: BenchStack, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = EventPage.parse(await stack.call(`/v1/runs/${runId}/events?after=${events.length}&limit=500`));
    events.push(...page.events.map(({ event }) => event));
    if (page.ended || page.events.length === 0) return events;
  }
}

export interface LoopFigures {
  passMs: number;
  /** History events per pass, over all histories of the run. */
  eventsPerPass: number;
}

/** Runs loops of `passes` and gives the median of a pass, and what a pass adds to the history. */
export async function measureLoop(
  stack: BenchStack,
  { passes, worktree, rounds }: { passes: number; worktree: boolean; rounds: number },
): Promise<LoopFigures> {
  const repo = freshRepository();
  const figures: number[] = [];
  let history = 0;
  for (let round = 0; round < rounds; round += 1) {
    const runId = await startRun(stack, loopOf(passes, worktree), repo);
    await ended(stack, runId);
    figures.push(passMsOf(await eventsOf(stack, runId)));
    history = await historyLength(stack, runId);
  }
  const single = await startRun(stack, loopOf(1, worktree), repo);
  await ended(stack, single);
  const first = await historyLength(stack, single);
  return { passMs: median(figures), eventsPerPass: (history - first) / (passes - 1) };
}

/** From the second pass to the last: the first pays for what a run pays once. */
function passMsOf(events: readonly RunEvent[]): number {
  const starts = events.filter((event) => event.type === 'attempt.started');
  const second = starts[1];
  const last = starts.at(-1);
  if (second === undefined || last === undefined || starts.length < 3) throw new TypeError('too few passes');
  return (last.at - second.at) / (starts.length - 2);
}

async function historyLength(stack: BenchStack, runId: string): Promise<number> {
  const { temporalAddress: address, temporalNamespace: namespace } = stack.stack();
  const client = new Client({ connection: await Connection.connect({ address }), namespace });
  let total = 0;
  // Every history of the chain: each continue-as-new starts another under the same id.
  for await (const execution of client.workflow.list({ query: `WorkflowId = '${runId}'` })) {
    const history = await client.workflow.getHandle(runId, execution.runId).fetchHistory();
    total += history.events?.length ?? 0;
  }
  await client.connection.close();
  return total;
}

export function readNanoseconds(path: string): number {
  return Number(BigInt(readFileSync(path, 'utf8').trim()) / 1000n) / 1000;
}
