import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { RunMessage } from '#core/contract/seat.ts';
import { EditRun, type RunDefinition, RunDefinitionShown } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';
import { may } from '#core/run/may.ts';
import type { RefusalCode } from '#core/run/run-codes.ts';
import type { RunRow } from '#infra/postgres/run-store.ts';
import { foldRecord } from '#infra/temporal/reseat.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { refusalProblem } from '#api/http/refusal-status.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { compileStored } from '#api/routes/compile-stored.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath } from '#api/routes/query.ts';
import { sendAndShow, sentBy } from '#api/routes/send-message.ts';
import { goOnRefusals, steered } from '#api/routes/steer-answers.ts';

const source = 'task: Make the test suite pass. Leave the public API as it is.\nagent: codex\nchecks: [npm test]\n';

const editRoute = createRoute({
  method: 'post',
  path: '/v1/runs/{runId}/edit',
  operationId: 'editRun',
  tags: ['Steering'],
  summary: 'Edit the definition of a run: it counts from the next pass of each step; every issue is told at once',
  request: {
    params: RunPath,
    body: { required: true, content: { 'application/json': { schema: EditRun, example: { source } } } },
  },
  responses: { ...steered, ...refusalsOf(...goOnRefusals, 'definition/invalid', 'http/body-too-large') },
});

const definitionRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{runId}/definition',
  operationId: 'showRunDefinition',
  tags: ['Steering'],
  summary: 'The definition that the plan of a run comes from, with the edits that were made',
  request: { params: RunPath },
  responses: {
    200: {
      description: 'The text as it was sent; of an object its JSON',
      content: {
        'application/json': { schema: RunDefinitionShown, example: { source, file: 'green.loop.yaml' } },
      },
    },
    ...refusalsOf('run/not-found', 'run/no-definition'),
  },
});

/** Edits of a run (E3), and the text that they begin with. */
export function routeEdit(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(definitionRoute, async (c) => {
    const { runId } = c.req.valid('param');
    await findRun(parts.runs, runId);
    const found = await parts.steering.definitionOf(runId);
    if (found === undefined) throw notKept(runId);
    const { source: text, file, dialect } = found;
    return c.json({ source: text, ...present({ file, dialect }) }, 200);
  });
  app.openapi(editRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { messageId, ...asked } = c.req.valid('json');
    const run = await findRun(parts.runs, runId);
    const definition = editedDefinition(asked, run, await parts.steering.definitionOf(runId));
    const { compiled } = await compileStored(parts, definition);
    const message = { kind: 'edit' as const, ...sentBy(c, messageId), plan: compiled.plan };
    await refuseEarly(parts, run, message);
    const { run: shown, status } = await sendAndShow(parts, c, { runId, message, definition });
    return c.json(shown, status);
  });
}

/**
 * The new text under what was said at the start: the same overrides, project and labels. A definition without a name of
 * its own keeps being called after the file that the run was started with.
 */
function editedDefinition(
  asked: Omit<EditRun, 'messageId'>,
  run: RunRow,
  before: RunDefinition | undefined,
): RunDefinition {
  const { definition, dialect } = asked;
  const text = definition === undefined ? asked.source : `${JSON.stringify(definition, null, 2)}\n`;
  if (text === undefined || (definition !== undefined && asked.source !== undefined)) {
    throw new ApiProblem('http/bad-request', {
      detail: 'An edit needs exactly one of `source` (the text of a definition) and `definition` (an object).',
      remedy: 'Send one of them.',
    });
  }
  const started = before ?? { project: run.project, labels: run.labels, overrides: { repo: run.plan.workspace.repo } };
  const { project, labels, overrides } = started;
  const file = before?.file ?? asked.file;
  return { source: text, ...present({ file, dialect, project, labels, overrides }) };
}

/** What may never change is the same in every revision, so the answer needs no worker and holds whatever happens meanwhile. */
async function refuseEarly(parts: ApiParts, run: RunRow, message: RunMessage): Promise<void> {
  const { state } = await foldRecord(parts.runs, run);
  const answer = may(run.plan, state, message);
  const early: RefusalCode = 'edit/not-allowed';
  if (answer.kind === 'refused' && answer.code === early) throw refusalProblem(answer, run.runId);
}

function notKept(runId: string): ApiProblem {
  return new ApiProblem('run/no-definition', {
    detail: `${runId} was not started from a text of its own, so none is kept.`,
    remedy: `Write its definition into a file: setpoint edit ${runId} FILE.`,
  });
}
