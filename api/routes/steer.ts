import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi';
import { PushBackRun, RaiseRun, RetryRun, Steer } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { RunPath } from '#api/routes/query.ts';
import { raisedLimits } from '#api/routes/raised-limits.ts';
import { remarkOf } from '#api/routes/remark.ts';
import { sendAndShow, sentBy } from '#api/routes/send-message.ts';
import { goOnRefusals, steered, steerRefusals } from '#api/routes/steer-answers.ts';

const example: Steer = { reason: 'No need for it any more', messageId: 'cancel-1' };

const cancelRoute = steerRoute({
  action: 'cancel',
  operationId: 'cancelRun',
  summary: 'Cancel a run; it has ended when nothing of it is alive any more',
  body: Steer,
  example,
});

const pauseRoute = steerRoute({
  action: 'pause',
  operationId: 'pauseRun',
  summary: 'Pause a run: what is under way ends and is judged, nothing new begins',
  body: Steer,
  example: { reason: 'I want to look first' },
});

const resumeRoute = steerRoute({
  action: 'resume',
  operationId: 'resumeRun',
  goesOn: true,
  summary: 'Let a paused run go on; refused while what paused it holds',
  body: Steer,
  example: { reason: 'It is good so far' },
});

const retryRoute = steerRoute({
  action: 'retry',
  operationId: 'retryRun',
  goesOn: true,
  summary: 'Retry a run that ended or is paused, or steps of it; what is finished is kept',
  body: RetryRun,
  example: { from: 'implement' },
});

const raiseRoute = steerRoute({
  action: 'raise',
  operationId: 'raiseRun',
  goesOn: true,
  summary: 'Raise limits of a run; one that is paused for such a limit goes on',
  body: RaiseRun,
  example: { passes: 8, spend: '10 USD' },
  required: true,
});

const pushBackRoute = steerRoute({
  action: 'push-back',
  operationId: 'pushBackRun',
  goesOn: true,
  summary: 'Send a finished step of a running run back, with a remark; it and all after it are done again',
  body: PushBackRun,
  example: { step: 'implement', message: 'Keep the old name of the flag.' },
  required: true,
});

/** What people do to a run beside deciding its tasks (E3, E8). */
export function routeSteer(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(cancelRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { reason = 'cancelled by request', messageId } = c.req.valid('json') ?? {};
    const message = { kind: 'cancel' as const, ...sentBy(c, messageId), reason };
    const { run, status } = await sendAndShow(parts, c, { runId, message });
    return c.json(run, status);
  });
  app.openapi(pauseRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { reason, messageId } = c.req.valid('json') ?? {};
    const message = { kind: 'pause' as const, ...sentBy(c, messageId), ...present({ reason }) };
    const { run, status } = await sendAndShow(parts, c, { runId, message });
    return c.json(run, status);
  });
  app.openapi(resumeRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { reason, messageId } = c.req.valid('json') ?? {};
    const message = { kind: 'resume' as const, ...sentBy(c, messageId), ...present({ reason }) };
    const { run, status } = await sendAndShow(parts, c, { runId, message });
    return c.json(run, status);
  });
  app.openapi(retryRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { from, only, messageId } = c.req.valid('json') ?? {};
    if (from !== undefined && only !== undefined) throw fromOrOnly();
    const message = { kind: 'retry' as const, ...sentBy(c, messageId), ...present({ from, only }) };
    const { run, status } = await sendAndShow(parts, c, { runId, message });
    return c.json(run, status);
  });
  app.openapi(raiseRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { messageId, ...asked } = c.req.valid('json');
    const message = { kind: 'raise' as const, ...sentBy(c, messageId), limits: raisedLimits(asked) };
    const { run, status } = await sendAndShow(parts, c, { runId, message });
    return c.json(run, status);
  });
  app.openapi(pushBackRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { step, message: text, messageId } = c.req.valid('json');
    const sent = sentBy(c, messageId);
    const remark = await remarkOf(parts.artifacts, sent.by, text);
    const message = { kind: 'pushBack' as const, ...sent, step, remark };
    const { run, status } = await sendAndShow(parts, c, { runId, message });
    return c.json(run, status);
  });
}

interface SteerCall<Body extends z.ZodType> {
  action: string;
  operationId: string;
  summary: string;
  body: Body;
  example: z.input<Body>;
  /** It makes no sense without a body. */
  required?: boolean;
  /** The run may spend more after it. */
  goesOn?: boolean;
}

function steerRoute<Body extends z.ZodType>({
  action,
  body,
  example: sample,
  required,
  goesOn = false,
  ...about
}: SteerCall<Body>) {
  const content = { 'application/json': { schema: body, example: sample } };
  return createRoute({
    method: 'post',
    path: `/v1/runs/{runId}/${action}`,
    tags: ['Steering'],
    ...about,
    request: { params: RunPath, body: { content, required: required ?? false } },
    responses: { ...steered, ...refusalsOf(...(goesOn ? goOnRefusals : steerRefusals)) },
  });
}

function fromOrOnly(): ApiProblem {
  return new ApiProblem('http/bad-request', {
    detail: '`from` does a step and all after it again, `only` that one step; both are given.',
    remedy: 'Give one of them.',
  });
}
