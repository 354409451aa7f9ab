/**
 * The part of a statement that writes the changes of tasks (`core/task/task-record.ts`), an array of them in the parameter
 * `changes`, for the run of the common table `owned`. A newer revision replaces an older one; a part of the same revision is
 * merged, which changes nothing when it was merged before; what is older is left alone. No row is touched twice: a change is
 * either the whole of a revision or a part of one.
 */
export function changeTasks(changes: string): string {
  return `changes as (
      select owned.run_id, owned.project, c.* from owned, jsonb_to_recordset(${changes})
        as c (task text, step text, revision int, status text, at float8, "openedAt" float8, record jsonb)
    ), opened_tasks as (
      insert into tasks (task_id, run_id, project, step, revision, state, body, opened_at, updated_at)
      select task, run_id, project, step, revision, status, record,
        to_timestamp("openedAt" / 1000), to_timestamp(at / 1000)
      from changes where "openedAt" is not null
      on conflict (task_id) do update set revision = excluded.revision, opened_at = excluded.opened_at,
        updated_at = greatest(tasks.updated_at, excluded.updated_at),
        state = case when tasks.revision < excluded.revision then excluded.state
          else ${stateAfter('excluded.state')} end,
        body = case when tasks.revision < excluded.revision then excluded.body
          else ${merged('excluded.body')} end
      where tasks.run_id = excluded.run_id and tasks.revision <= excluded.revision
    ), changed_tasks as (
      update tasks set updated_at = greatest(tasks.updated_at, to_timestamp(c.at / 1000)),
        state = ${stateAfter('c.status')}, body = ${merged('c.record')}
      from changes c
      where c."openedAt" is null and tasks.task_id = c.task and tasks.run_id = c.run_id and tasks.revision = c.revision
    )`;
}

/** What is no longer open stays as it is. */
function stateAfter(status: string): string {
  return `case when tasks.state = 'open' then ${status} else tasks.state end`;
}

function merged(part: string): string {
  return `tasks.body || ${part} || jsonb_build_object(
    'decisions', coalesce(tasks.body -> 'decisions', '{}') || coalesce(${part} -> 'decisions', '{}'),
    'reminders', greatest((tasks.body ->> 'reminders')::int, (${part} ->> 'reminders')::int))`;
}
