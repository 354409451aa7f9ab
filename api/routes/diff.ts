import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { isAbsolute } from 'node:path';
import type { StoredEvent } from '#core/run/event.ts';
import { diff } from '#infra/git/diff.ts';
import type { RunRow } from '#infra/postgres/run-store.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { patch } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { parseQuery } from '#api/routes/events.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath, wholeNumber } from '#api/routes/query.ts';

const maxBytes = 4 * 1024 * 1024;

const diffRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{runId}/diff',
  operationId: 'readDiff',
  tags: ['Record'],
  summary: 'What the run changed: its base against its last snapshot, or against the last one of a pass',
  request: {
    params: RunPath,
    query: z.object({ pass: wholeNumber(1).optional().describe('The latest pass with a snapshot, if absent') }),
  },
  responses: {
    200: {
      description: 'A diff as git writes it. `setpoint-truncated: true` when it was cut at 4 MiB',
      content: { 'text/plain': { schema: z.string(), example: patch } },
    },
    ...refusalsOf('run/not-found', 'diff/nothing-yet'),
  },
});

export function routeDiff(app: OpenAPIHono, parts: ApiParts): void {
  app.openAPIRegistry.registerPath(diffRoute);
  app.get('/v1/runs/:runId/diff', async (c) => {
    const { runId } = RunPath.parse(c.req.param());
    const { pass } = parseQuery(diffRoute.request.query, c.req.query());
    const run = await findRun(parts.runs, runId);
    const events = await parts.runs.eventsAfter(runId, 0);
    const { text, truncated } = await diff({ ...comparisonOf(run, events, pass), maxBytes });
    return c.text(text, 200, { 'x-content-type-options': 'nosniff', 'setpoint-truncated': String(truncated) });
  });
}

function comparisonOf(run: RunRow, events: StoredEvent[], pass: number | undefined) {
  let place: { path: string; base: string } | undefined;
  let commit: string | undefined;
  for (const { event } of events) {
    if (event.type === 'workspace.opened' && event.base !== undefined) {
      place = { path: event.path, base: event.base.commit };
    }
    const isWanted = event.type === 'attempt.finished' && (pass === undefined || event.pass === pass);
    if (isWanted) commit = event.result.snapshot?.commit ?? commit;
  }
  if (place === undefined || commit === undefined) throw nothingYet(run, pass);
  // The repository rather than the workspace: its pointer to the repository is a file that an agent can write (F6).
  const { repo } = run.plan.workspace;
  return { repo: isAbsolute(repo) ? repo : place.path, base: place.base, commit };
}

function nothingYet(run: RunRow, pass: number | undefined): ApiProblem {
  const off = run.plan.workspace.worktree
    ? ''
    : ' It works in the checkout itself (worktree: off), where none is made.';
  return new ApiProblem('diff/nothing-yet', {
    detail: `${run.runId} has no snapshot${pass === undefined ? '' : ` of pass ${pass}`}.${off}`,
    remedy: run.plan.workspace.worktree
      ? `See what it did so far: setpoint show ${run.runId}.`
      : 'See what changed in the checkout, with git status and git diff there.',
  });
}
