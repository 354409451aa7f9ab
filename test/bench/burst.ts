import { median } from './figures.ts';
import { ended, startRun } from './loops.ts';
import { type BenchStack, freshFolder } from './stack.ts';

/** 100 runs of two `run` steps at once, worktree off: runs a second. */
export async function measureBurst(stack: BenchStack, rounds: number): Promise<number> {
  const folder = freshFolder();
  const definition = {
    setpoint: 1,
    name: 'burst',
    workspace: { repo: '.', worktree: false },
    deliver: 'none',
    steps: { first: { run: 'true' }, second: { run: 'true', after: 'first' } },
  };
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const runs = await Promise.all(Array.from({ length: 100 }, () => startRun(stack, definition, folder)));
    await Promise.all(runs.map((runId) => ended(stack, runId)));
    figures.push(100 / ((performance.now() - started) / 1000));
  }
  return median(figures);
}
