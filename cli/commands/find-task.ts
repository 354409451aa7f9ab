import type { TaskListed, TaskShown } from '#core/contract/tasks.ts';

import { ApiProblem } from '#cli/client/api-problem.ts';
import type { TaskClient } from '#cli/client/task-client.ts';
import { CliFailure, exitCodes } from '#cli/failure.ts';

const prefix = 'task_';

/**
 * The task that a person means: by its id, by a beginning of the id that only one task (or one open one) has, or by the id
 * of a run that has one open task. Throws with exit code 2 when there is none, or more.
 */
export async function findTask(client: TaskClient, named: string): Promise<TaskShown> {
  if (named.startsWith('run_')) return ofRun(client, named);
  const known = await client.task(named).catch(notThere);
  if (known !== undefined) return known;
  const q = named.startsWith(prefix) ? named : `${prefix}${named}`;
  const { tasks } = await client.tasks({ q });
  const open = tasks.filter(({ state }) => state === 'open');
  const meant = tasks.length === 1 ? tasks : open;
  return only(client, meant.length === 0 ? tasks : meant, {
    none: `there is no task ${named}`,
    more: `several tasks begin with ${named}`,
    remedy: 'see which there are: setpoint tasks --all',
  });
}

async function ofRun(client: TaskClient, run: string): Promise<TaskShown> {
  const { tasks } = await client.tasks({ run, state: 'open' });
  return only(client, tasks, {
    none: `${run} asks nobody now`,
    more: `${run} asks more than one question`,
    remedy: `see what it does: setpoint show ${run}`,
  });
}

async function only(
  client: TaskClient,
  found: readonly TaskListed[],
  words: { none: string; more: string; remedy: string },
): Promise<TaskShown> {
  const [first, ...more] = found;
  if (first === undefined) throw new CliFailure(exitCodes.usage, words.none, { remedy: words.remedy });
  if (more.length === 0) return client.task(first.taskId);
  const ids = found.slice(0, 5).map(({ taskId }) => taskId);
  throw new CliFailure(exitCodes.usage, words.more, { remedy: `name one of them: ${ids.join(', ')}` });
}

function notThere(error: unknown): undefined {
  if (error instanceof ApiProblem && error.problem.code === 'task/not-found') return undefined;
  throw error;
}
