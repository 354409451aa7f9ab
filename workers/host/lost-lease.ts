import type { Tenure } from '#activities/tenure.ts';
import type { Logger } from '#infra/log.ts';
import { killContainment } from '#infra/process/containment.ts';

/** What a task has for its own end: a process's grace, and to put things away. Far less than a heartbeat. */
const endingMs = 15_000;

/**
 * Ends all that runs here once the lease is lost: the runs may be given to another host. The tasks end their processes
 * themselves, as they do when they are cancelled, so that none takes the end for the work's own; what does not heed is
 * killed. Resolves when nothing of them is alive.
 */
export async function endOnLoss(tenure: Tenure, log: Logger, withinMs: number = endingMs): Promise<void> {
  const deaf = await tenure.end(withinMs);
  if (deaf.length > 0) log.error({ tasks: deaf }, 'tasks did not end by themselves and are killed');
  await Promise.all(deaf.map((containmentId) => killContainment(containmentId)));
}
