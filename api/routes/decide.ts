import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { ulid } from 'ulid';
import type { Principal } from '#core/contract/principal.ts';
import type { RunMessageOf } from '#core/contract/seat.ts';
import { Decide, TaskDecided } from '#core/contract/tasks.ts';
import { present } from '#core/definition/present.ts';
import { answerText, commentLine } from '#core/task/answer-text.ts';
import { decisionsOf } from '#core/task/task-record.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { TaskRow } from '#infra/postgres/task-store.ts';
import { smallExcerpt } from '#infra/process/output-log.ts';
import { sendRunMessage } from '#infra/temporal/run-messages.ts';
import { type Bell, openBell } from '#api/bell.ts';
import { principalOf } from '#api/http/bearer.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { refusalProblem, statusOfFate } from '#api/http/refusal-status.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import { decide, taskDecided } from '#api/openapi/task-examples.ts';
import type { ApiParts } from '#api/parts.ts';
import { findRun } from '#api/routes/find-run.ts';
import { bodyDigest } from '#api/routes/request-body.ts';
import { listedRun } from '#api/routes/show-run.ts';
import { allowed, showTask } from '#api/routes/show-task.ts';
import { filledForm } from '#api/routes/task-form.ts';
import { findTask, TaskPath } from '#api/routes/tasks.ts';
import { withHost } from '#api/why.ts';

/** How long an applied decision may take to show in the record before the task is answered without it. */
const recordedMs = 1_000;

const shown = { content: { 'application/json': { schema: TaskDecided, example: taskDecided } } };

const decideRoute = createRoute({
  method: 'post',
  path: '/v1/tasks/{taskId}/decisions',
  operationId: 'decideTask',
  tags: ['Tasks'],
  summary: 'Approve, reject or push back',
  request: {
    params: TaskPath,
    body: { required: true, content: { 'application/json': { schema: Decide, example: decide } } },
  },
  responses: {
    200: { description: 'Applied, now or when the same decision was sent before', ...shown },
    202: { description: 'Stored, and no worker answered yet; it is sent again until one does', ...shown },
    ...refusalsOf(
      'task/not-found',
      'task/not-allowed',
      'task/author',
      'task/form-invalid',
      'task/decided',
      'task/reopened',
      'task/already-answered',
      'task/no-way-back',
      'task/push-backs-spent',
      'task/closed',
      'run/message-conflict',
    ),
  },
});

/** Deciding (D2, D5, D6): who may is asked here, whether it counts by the run's workflow (decision 12). */
export function routeDecide(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(decideRoute, async (c) => {
    const { taskId } = c.req.valid('param');
    const task = await findTask(parts.tasks, taskId);
    const principal = principalOf(c);
    requireAllowed(task, principal);
    const message = await messageOf(parts, { task, principal }, c.req.valid('json'));
    const bell = openBell(parts.stream, task.runId);
    try {
      const status = statusOfFate(await sendRunMessage(parts, task.runId, message));
      if (status === 200) await untilShown(parts, message, { bell, signal: c.req.raw.signal });
      const [after, run] = await Promise.all([findTask(parts.tasks, taskId), findRun(parts.runs, task.runId)]);
      c.header('location', `/v1/tasks/${taskId}`);
      const summary = await withHost(run.summary, parts.hosts);
      const body = { task: showTask(after, principal), run: listedRun({ ...run, summary }) };
      return c.json({ decisionId: message.id, ...body }, status);
    } finally {
      bell.close();
    }
  });
}

function requireAllowed(task: TaskRow, principal: Principal): void {
  const may = allowed(task, principal);
  if (may === 'yes') return;
  if (may === 'author') {
    throw new ApiProblem('task/author', {
      detail: `${principal.name} started ${task.runId}, and the definition wants somebody else to decide.`,
      remedy: 'Ask somebody else to look: setpoint people lists who there is.',
    });
  }
  const who = showTask(task, principal).who.join(', ');
  throw new ApiProblem('task/not-allowed', {
    detail: `${task.taskId} is decided by ${who}; ${principal.name} is none of them.`,
    remedy: `Ask one of them, or an admin for a team: setpoint people add ${principal.name} --team TEAM.`,
  });
}

type DecideMessage = RunMessageOf<'decide'>;

async function messageOf(
  { artifacts, messages }: ApiParts,
  { task, principal }: { task: TaskRow; principal: Principal },
  body: Decide,
): Promise<DecideMessage> {
  const { decision, message: said = '', to, decisionId } = body;
  const revision = body.revision ?? (await sentBefore(messages, task, decisionId)) ?? task.revision;
  if (to !== undefined && decision !== 'push_back') throw onlyPushBacks();
  if (revision > task.revision) throw notAskedYet(task, revision);
  const kind = decision === 'complete' ? 'approve' : decision;
  const comment = normaliseText(said).trim();
  const isOpen = task.state === 'open' && revision === task.revision;
  const form = await filledForm({ ...task, isOpen }, kind, body.form);
  const text = normaliseText(answerText(comment, form));
  const { sha256, bytes } = await artifacts.putText(text);
  return {
    kind: 'decide',
    id: decisionId ?? `msg_${ulid().toLowerCase()}`,
    by: principal.name,
    task: task.taskId,
    revision,
    decision: {
      kind,
      by: principal.name,
      comment: commentLine(comment),
      text: { sha256, bytes, excerpt: smallExcerpt(text) },
      digest: bodyDigest({ kind, message: comment, to, form }),
      ...present({ form, to }),
    },
  };
}

/** Sent again without its revision, a decision means the one that it was sent for, though the task was asked again since (D2). */
async function sentBefore(
  messages: ApiParts['messages'],
  { taskId }: TaskRow,
  decisionId: string | undefined,
): Promise<number | undefined> {
  const message = decisionId === undefined ? undefined : (await messages.find(decisionId))?.message;
  return message?.kind === 'decide' && message.task === taskId ? message.revision : undefined;
}

/** The decision in the record, or what came of it: the task was asked again. */
async function untilShown(
  { tasks }: ApiParts,
  { task, revision, decision }: DecideMessage,
  { bell, signal }: { bell: Bell; signal: AbortSignal },
): Promise<void> {
  const untilMs = Date.now() + recordedMs;
  for (;;) {
    const now = await findTask(tasks, task);
    const isThere = decisionsOf(now.record).some(({ decision: one }) => {
      return one.by === decision.by && one.digest === decision.digest;
    });
    const leftMs = untilMs - Date.now();
    if (now.revision > revision || isThere || leftMs <= 0 || signal.aborted) return;
    await bell.wait(leftMs, signal);
  }
}

function onlyPushBacks(): ApiProblem {
  return new ApiProblem('http/bad-request', {
    detail: 'Only a push back goes to a step: `to` means nothing for another decision.',
    remedy: 'Leave `to` out, or push back.',
  });
}

function notAskedYet({ taskId, revision: newest }: TaskRow, revision: number): ApiProblem {
  const message = `${taskId} was asked ${newest} times so far: there is no revision ${revision}. Look at it and decide anew.`;
  return refusalProblem({ code: 'task/reopened', message });
}
