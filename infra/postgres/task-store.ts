import { z } from 'zod';
import type { Principal } from '#core/contract/principal.ts';
import { RunStatus } from '#core/run/summary.ts';
import { entriesOf } from '#core/task/allowed.ts';
import { TaskRecord, TaskStatus } from '#core/task/task-record.ts';
import type { Database } from '#infra/postgres/database.ts';

/** A question as the record tells it, in its newest revision. Times are ISO 8601. */
export const TaskRow = z.object({
  taskId: z.string(),
  runId: z.string(),
  runName: z.string(),
  runStatus: RunStatus,
  /** Who started the run; null where it is not known. */
  createdBy: z.string().nullable(),
  project: z.string(),
  step: z.string(),
  revision: z.number().int(),
  state: TaskStatus,
  record: TaskRecord,
  openedAt: z.string(),
  updatedAt: z.string(),
});
export type TaskRow = z.infer<typeof TaskRow>;

/** Every filter that is given must hold. */
export interface TaskFilter {
  state?: TaskStatus;
  project?: string;
  runId?: string;
  /** The id begins with this. */
  beginning?: string;
  /** Open tasks that this principal may decide, and has not answered yet. */
  for?: Principal;
}

/** A page by id, which is by the start of the run; `after` is the last id of the page before. */
export interface TaskPage {
  filter: TaskFilter;
  after?: string;
  limit: number;
}

export interface TaskStore {
  list(page: TaskPage): Promise<TaskRow[]>;
  find(taskId: string): Promise<TaskRow | undefined>;
}

const rows = `select t.task_id as "taskId", t.run_id as "runId", r.name as "runName", r.status as "runStatus",
    r.created_by as "createdBy", t.project, t.step, t.revision, t.state, t.body as record, t.opened_at as "openedAt",
    t.updated_at as "updatedAt"
  from tasks t join runs r using (run_id)`;

/** As `mayDecideTask` judges ($6: the name, $7: the entries that mean it), for a page of many. */
const mine = `t.state = 'open'
  and not exists (select from jsonb_each(t.body -> 'decisions') d where d.value -> 'decision' ->> 'by' = $6)
  and ((t.body -> 'question' ->> 'notAuthor')::boolean is not true or r.created_by is distinct from $6)
  and ($7::text[] is null or jsonb_array_length(t.body -> 'question' -> 'who') = 0
    or t.body -> 'question' -> 'who' ?| $7 or coalesce(t.body -> 'escalatedTo', '[]') ?| $7)`;

/** Reads what `appendEvents` keeps true. Faults: `store/unavailable`. */
export function createTaskStore(database: Database): TaskStore {
  return {
    async list({ filter, after, limit }) {
      // Written for each state, so that the open ones are read by their own index.
      const ofState = filter.state === undefined ? 'true' : `t.state = '${filter.state}'`;
      const answer = await database.query({
        text: `${rows}
          where ${ofState} and ($1::text is null or t.task_id > $1)
            and ($2::text is null or t.project = $2)
            and ($3::text is null or t.run_id = $3)
            and ($4::text is null or starts_with(t.task_id, $4))
            and ($6::text is null or (${mine}))
          order by t.task_id limit $5`,
        values: [
          after ?? null,
          filter.project ?? null,
          filter.runId ?? null,
          filter.beginning ?? null,
          limit,
          filter.for?.name ?? null,
          filter.for === undefined ? null : (entriesOf(filter.for) ?? null),
        ],
      });
      return answer.rows.map((row) => TaskRow.parse(row));
    },
    async find(taskId) {
      const answer = await database.query({
        name: 'find-task',
        text: `${rows} where t.task_id = $1`,
        values: [taskId],
      });
      return answer.rows.map((row) => TaskRow.parse(row))[0];
    },
  };
}
