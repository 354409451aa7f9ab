import type { Decide, TaskDecided, TaskList, TaskShown } from '#core/contract/tasks.ts';

import { callsOf, readAs } from '#cli/client/server-calls.ts';
import type { ServerAddress } from '#cli/stack/server-address.ts';

/** What people are asked (docs/guide/people.md). Each throws `ServerUnreachable` or `ApiProblem`. */
export interface TaskClient {
  tasks(query: Record<string, string>): Promise<TaskList>;
  task(taskId: string): Promise<TaskShown>;
  /** Under a decision id of its own. `pending`: it is stored, and no worker has answered yet. */
  decide(taskId: string, body: Omit<Decide, 'decisionId'>): Promise<TaskDecided & { pending: boolean }>;
}

const loadShapes = () => import('#core/contract/tasks.ts');

export function createTaskClient(server: ServerAddress): TaskClient {
  const { http, told } = callsOf(server);
  const ofTask = (taskId: string) => ({ params: { path: { taskId } } });
  return {
    tasks: async (query) => {
      const querySerializer = () => new URLSearchParams(query).toString();
      const { data } = await told(http.GET('/v1/tasks', { querySerializer }));
      return readAs(data, (await loadShapes()).TaskList);
    },
    task: async (taskId) => {
      const { data } = await told(http.GET('/v1/tasks/{taskId}', ofTask(taskId)));
      return readAs(data, (await loadShapes()).TaskShown);
    },
    decide: async (taskId, decision) => {
      const body = { decisionId: crypto.randomUUID(), ...decision };
      const { data, response } = await told(http.POST('/v1/tasks/{taskId}/decisions', { ...ofTask(taskId), body }));
      return { ...readAs(data, (await loadShapes()).TaskDecided), pending: response.status === 202 };
    },
  };
}
