import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { Principal } from '#core/contract/principal.ts';
import type { TaskListed, TaskShown } from '#core/contract/tasks.ts';
import { present } from '#core/definition/present.ts';
import { mayDecideTask, type Allowed } from '#core/task/allowed.ts';
import { decisionsOf, whoNow } from '#core/task/task-record.ts';
import { head } from '#core/text/tail.ts';
import type { TaskRow } from '#infra/postgres/task-store.ts';

const longestLine = 200;

/** A task as lists show it. */
export function listedTask(row: TaskRow): TaskListed {
  const { taskId, runId, runName, project, step, revision, state, record, openedAt, updatedAt } = row;
  const { question, pass, reminders } = record;
  const { quorum, notAuthor, expiresAt } = question;
  return {
    taskId,
    runId,
    runName,
    project,
    step,
    pass,
    revision,
    state,
    openedAt,
    updatedAt,
    asked: lineOf(question.ask.text),
    who: whoNow(record),
    quorum,
    notAuthor,
    reminders,
    approvals: decisionsOf(record).filter(({ decision }) => decision.kind === 'approve').length,
    ...present({ expiresAt: expiresAt === undefined ? undefined : isoTime(expiresAt) }),
  };
}

/** A task with all that was frozen, and whether the principal may decide it. */
export function showTask(row: TaskRow, principal: Principal): TaskShown {
  const { record } = row;
  const { ask, shown, form, pushBackForm, backTo, commit } = record.question;
  const { text, whole } = ask;
  return {
    ...listedTask(row),
    ask: { text, ...present({ whole: whole === undefined ? undefined : linked(whole) }) },
    shown: shown.map(({ name, content }) => ({ name, ...linked(content) })),
    backTo,
    decisions: decisionsOf(record).map(({ at, decision, final }) => {
      const { kind, by, comment, form: filled, to } = decision;
      const said = { decision: kind, by, at: isoTime(at), comment, text: linked(decision.text), final };
      return { ...said, ...present({ form: filled, to }) };
    }),
    mayDecide: allowed(row, principal),
    ...present({ form, pushBackForm, commit, closed: record.closed }),
  };
}

export function allowed({ record, createdBy }: TaskRow, principal: Principal): Allowed {
  const { notAuthor } = record.question;
  return mayDecideTask(principal, {
    who: whoNow(record),
    notAuthor,
    ...present({ createdBy: createdBy ?? undefined }),
  });
}

function linked(content: ArtifactRef): { content: ArtifactRef; url: string } {
  return { content, url: `/v1/artifacts/${content.sha256}` };
}

function lineOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= longestLine ? line : `${head(line, longestLine - 1)}…`;
}

const isoTime = (at: number): string => new Date(at).toISOString();
