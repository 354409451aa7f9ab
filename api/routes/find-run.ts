import type { RunRow, RunStore } from '#infra/postgres/run-store.ts';
import { ApiProblem } from '#api/http/problem.ts';

/** The run, or the problem `run/not-found`. */
export async function findRun(runs: RunStore, runId: string): Promise<RunRow> {
  const run = await runs.find(runId);
  if (run !== undefined) return run;
  throw new ApiProblem('run/not-found', {
    detail: `There is no run ${runId}.`,
    remedy: 'See the runs that there are: setpoint runs.',
  });
}
