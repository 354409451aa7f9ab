import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ProjectName, StorableText } from '#core/contract/library.ts';
import { TaskList, TaskShown } from '#core/contract/tasks.ts';
import { present } from '#core/definition/present.ts';
import { TaskStatus } from '#core/task/task-record.ts';
import type { TaskRow, TaskStore } from '#infra/postgres/task-store.ts';
import { principalOf } from '#api/http/bearer.ts';
import { pageOf } from '#api/http/page.ts';
import { refusalProblem } from '#api/http/refusal-status.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import { taskList, taskShown } from '#api/openapi/task-examples.ts';
import type { ApiParts } from '#api/parts.ts';
import { wholeNumber } from '#api/routes/query.ts';
import { listedTask, showTask } from '#api/routes/show-task.ts';

/** An id is as long as that of its run and the name of its step. */
export const TaskPath = z.object({ taskId: StorableText.min(1).max(500) });

const ListQuery = z.object({
  state: TaskStatus.optional(),
  project: ProjectName.optional(),
  run: StorableText.max(100).optional().describe('Id of the run that asks'),
  mine: z.enum(['true', 'false']).optional().describe('`true`: the open ones that I may decide and have not answered'),
  q: StorableText.max(500).optional().describe('The beginning of the id'),
  cursor: StorableText.max(500).optional().describe('`cursor` of the page before'),
  limit: wholeNumber(1).max(500).default(50).describe('How many a page has at most'),
});

const listRoute = createRoute({
  method: 'get',
  path: '/v1/tasks',
  operationId: 'listTasks',
  tags: ['Tasks'],
  summary: 'List questions to people, those of the oldest run first',
  request: { query: ListQuery },
  responses: {
    200: {
      description: 'A page; `cursor` leads to the next one and is absent on the last',
      content: { 'application/json': { schema: TaskList, example: taskList } },
    },
    ...refusalsOf(),
  },
});

const showRoute = createRoute({
  method: 'get',
  path: '/v1/tasks/{taskId}',
  operationId: 'showTask',
  tags: ['Tasks'],
  summary: 'Show a task: what is asked and shown, who may decide, the answers so far',
  request: { params: TaskPath },
  responses: {
    200: {
      description: 'The task in its newest revision',
      content: { 'application/json': { schema: TaskShown, example: taskShown } },
    },
    ...refusalsOf('task/not-found'),
  },
});

/** Looking at tasks. Nothing here decides (D6). */
export function routeTasks(app: OpenAPIHono, { tasks }: ApiParts): void {
  app.openapi(listRoute, async (c) => {
    const { state, project, run, mine, q, cursor, limit } = c.req.valid('query');
    const isMine = mine === 'true' ? principalOf(c) : undefined;
    const filter = present({
      state: state ?? (isMine === undefined ? undefined : ('open' as const)),
      project,
      runId: run,
      beginning: q,
      for: isMine,
    });
    const found = await tasks.list({ filter, limit: limit + 1, ...present({ after: cursor }) });
    const { page, ...next } = pageOf(found, limit, ({ taskId }) => taskId);
    return c.json({ tasks: page.map(listedTask), ...next }, 200);
  });
  app.openapi(showRoute, async (c) => {
    const task = await findTask(tasks, c.req.valid('param').taskId);
    return c.json(showTask(task, principalOf(c)), 200);
  });
}

/** The task, or the problem `task/not-found`. */
export async function findTask(tasks: TaskStore, taskId: string): Promise<TaskRow> {
  const task = await tasks.find(taskId);
  if (task !== undefined) return task;
  const message = `There is no task ${taskId}. See which are open: setpoint tasks.`;
  throw refusalProblem({ code: 'task/not-found', message });
}
