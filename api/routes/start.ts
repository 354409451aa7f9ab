import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ulid } from 'ulid';
import { PlanShown, RunStarted, StartRun } from '#core/contract/http.ts';
import { GivenId } from '#core/contract/library.ts';
import { present } from '#core/definition/present.ts';
import type { Issue } from '#core/issue/issue.ts';
import { resolveInputs } from '#core/plan/inputs.ts';
import type { NewRun } from '#infra/postgres/run-store.ts';
import { firstSeat } from '#infra/temporal/reseat.ts';
import { principalOf } from '#api/http/bearer.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { planShown, runStarted, startRun } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { invalidDefinition, showPlan } from '#api/routes/compile-run.ts';
import { type CompiledRequest, compileStored } from '#api/routes/compile-stored.ts';
import { bodyDigest } from '#api/routes/request-body.ts';
import { runDefinition } from '#api/routes/run-definition.ts';
import { listedRun } from '#api/routes/show-run.ts';

const started = { content: { 'application/json': { schema: RunStarted, example: runStarted } } };
const body = { required: true, content: { 'application/json': { schema: StartRun, example: startRun } } };

const IdempotencyKey = GivenId.optional().describe(
  'A request that is repeated under its key answers the run that it started the first time',
);

const startRoute = createRoute({
  method: 'post',
  path: '/v1/runs',
  operationId: 'startRun',
  tags: ['Runs'],
  summary: 'Start a run',
  request: { body, headers: z.object({ 'idempotency-key': IdempotencyKey }) },
  responses: {
    201: { description: 'The new run', ...started },
    200: { description: 'The run that was started under this key before', ...started },
    ...refusalsOf(
      'definition/invalid',
      'definition/not-found',
      'http/key-reused',
      'http/body-too-large',
      'server/loops-off',
    ),
  },
});

const planRoute = createRoute({
  method: 'post',
  path: '/v1/plans',
  operationId: 'compilePlan',
  tags: ['Runs'],
  summary: 'Compile a definition; creates nothing',
  request: { body },
  responses: {
    200: {
      description: "The plan, the warnings and the doctor's findings",
      content: { 'application/json': { schema: PlanShown, example: planShown } },
    },
    ...refusalsOf('definition/invalid', 'definition/not-found', 'http/body-too-large', 'server/loops-off'),
  },
});

/** Starting runs, and looking at what would be run. */
export function routeStart(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(planRoute, async (c) => {
    const { compiled } = await compileStored(parts, c.req.valid('json'));
    return c.json(showPlan(compiled), 200);
  });
  app.openapi(startRoute, async (c) => {
    const request = c.req.valid('json');
    const { run, warnings } = newRun(await compileStored(parts, request), {
      // Of what was sent: a stored definition that changes in between makes no other request of it.
      bodySha256: bodyDigest(request),
      createdBy: principalOf(c).name,
      ...present({
        idempotencyKey: c.req.valid('header')['idempotency-key'],
        callback: request.callback,
        priority: request.priority,
      }),
    });
    const stored = await parts.runs.start(run);
    if (stored.kind === 'conflict') throw keyReused(stored.runId);
    // The row is the promise. An engine that is away gets the run from the sweeper; a repeated call may be quicker.
    if (stored.run.summary.seq === 0 && stored.run.seat === 1) await parts.engine.startSeat(firstSeat(stored.run));
    c.header('location', `/v1/runs/${stored.run.runId}`);
    return c.json({ ...listedRun(stored.run), warnings }, stored.kind === 'created' ? 201 : 200);
  });
}

type Asked = Pick<NewRun, 'bodySha256' | 'createdBy' | 'idempotencyKey' | 'callback' | 'priority'>;

function newRun({ request, compiled }: CompiledRequest, asked: Asked): { run: NewRun; warnings: Issue[] } {
  const { plan, warnings } = compiled;
  const resolved = resolveInputs(plan, request.inputs ?? {});
  if (resolved.kind === 'issues') throw invalidDefinition(resolved.issues);
  const run = {
    runId: `run_${ulid().toLowerCase()}`,
    plan,
    inputs: resolved.inputs,
    definition: runDefinition(request),
    ...asked,
  };
  return { run, warnings };
}

function keyReused(runId: string): ApiProblem {
  return new ApiProblem('http/key-reused', {
    detail: `The key was used before, with another body: it started ${runId}.`,
    remedy: 'Repeat the request as it was, or send a new Idempotency-Key (`--key` on the command line).',
  });
}
