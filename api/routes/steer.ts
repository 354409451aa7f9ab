import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { ulid } from 'ulid';
import { RunShown, Steer } from '#core/contract/http.ts';
import type { RunMessage } from '#core/contract/seat.ts';
import { unreachable } from '#core/exhaustive.ts';
import { type MessageFate, sendRunMessage } from '#infra/temporal/run-messages.ts';
import { openBell } from '#api/bell.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { runShown, steer } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath } from '#api/routes/query.ts';
import { showRun } from '#api/routes/show-run.ts';

const actions = {
  cancel: 'Cancel a run; it has ended when nothing of it is alive any more',
  retry: 'Retry a run that ended or is paused; what is finished is kept',
} as const;
type Action = keyof typeof actions;

/** How long an applied message may take to show in the record before the state is answered without it. */
const recordedMs = 1_000;

/** Messages to a run (decision 12, D2). */
export function routeSteer(app: OpenAPIHono, parts: ApiParts): void {
  for (const action of Object.keys(actions) as Action[]) {
    app.openapi(steerRoute(action), async (c) => {
      const { runId } = c.req.valid('param');
      const message = messageOf(action, c.req.valid('json') ?? {});
      const { summary } = await findRun(parts.runs, runId);
      const bell = openBell(parts.stream, runId);
      try {
        const status = statusOf(await sendRunMessage(parts, runId, message));
        const isShown = status === 202 || (await findRun(parts.runs, runId)).summary.seq > summary.seq;
        if (!isShown) await bell.wait(recordedMs, c.req.raw.signal);
        c.header('location', `/v1/runs/${runId}`);
        return c.json(await showRun(parts, await findRun(parts.runs, runId)), status);
      } finally {
        bell.close();
      }
    });
  }
}

function steerRoute(action: Action) {
  const shown = { content: { 'application/json': { schema: RunShown, example: runShown } } };
  return createRoute({
    method: 'post',
    path: `/v1/runs/{runId}/${action}`,
    operationId: `${action}Run`,
    tags: ['Steering'],
    summary: actions[action],
    request: { params: RunPath, body: { content: { 'application/json': { schema: Steer, example: steer } } } },
    responses: {
      200: { description: 'Applied: the state of the run', ...shown },
      202: { description: 'Stored, and no worker answered yet; it is sent again until one does', ...shown },
      ...refusalsOf('run/not-found', 'run/refused', 'run/message-conflict'),
    },
  });
}

function messageOf(action: Action, { messageId, reason }: Steer): RunMessage {
  const id = messageId ?? `msg_${ulid().toLowerCase()}`;
  switch (action) {
    case 'cancel':
      return { kind: 'cancel', id, reason: reason ?? 'cancelled by request' };
    case 'retry':
      return { kind: 'retry', id };
    default:
      return unreachable(action);
  }
}

function statusOf(fate: MessageFate): 200 | 202 {
  switch (fate.kind) {
    case 'applied':
      return 200;
    case 'pending':
      return 202;
    case 'refused':
      throw new ApiProblem('run/refused', { detail: fate.message, code: fate.code });
    case 'conflict':
      throw new ApiProblem('run/message-conflict', {
        detail: 'A message with this id was sent before, and it said something else.',
        remedy: 'Send it under a new messageId.',
      });
    default:
      return unreachable(fate);
  }
}
