import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { RunList, RunShown } from '#core/contract/http.ts';
import { StorableText } from '#core/contract/library.ts';
import { present } from '#core/definition/present.ts';
import { StopKind } from '#core/run/stop.ts';
import { RunStatus } from '#core/run/summary.ts';
import type { RunRow } from '#infra/postgres/run-store.ts';
import { openBell } from '#api/bell.ts';
import { runList, runShown } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath, WaitMs, wholeNumber } from '#api/routes/query.ts';
import { showRun } from '#api/routes/show-run.ts';
import { withHost } from '#api/why.ts';

const ListQuery = z.object({
  status: z
    .enum([...RunStatus.options, ...StopKind.options])
    .optional()
    .describe('A status, or how a run that has ended stopped'),
  project: StorableText.optional(),
  label: StorableText.optional().describe('A label that the run carries'),
  parent: StorableText.optional().describe('A run: its child runs'),
  q: StorableText.optional().describe('A part of the name, or the beginning of the id'),
  cursor: StorableText.optional().describe('`cursor` of the page before'),
  limit: wholeNumber(1).max(500).default(50).describe('How many runs a page has at most'),
});

const listRoute = createRoute({
  method: 'get',
  path: '/v1/runs',
  operationId: 'listRuns',
  tags: ['Runs'],
  summary: 'List runs, newest first',
  request: { query: ListQuery },
  responses: {
    200: {
      description: 'A page; `cursor` leads to the next one and is absent on the last',
      content: { 'application/json': { schema: RunList, example: runList } },
    },
    ...refusalsOf(),
  },
});

const waitMeans = 'How long to wait for the end of the run, such as `60s`; at most ten minutes';

const showRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{runId}',
  operationId: 'showRun',
  tags: ['Runs'],
  summary: 'Show a run; with `wait`, once it has ended or the time is over',
  request: { params: RunPath, query: z.object({ wait: WaitMs.optional().describe(waitMeans) }) },
  responses: {
    200: { description: 'The run', content: { 'application/json': { schema: RunShown, example: runShown } } },
    ...refusalsOf('run/not-found'),
  },
});

/** Looking at runs. */
export function routeRuns(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(listRoute, async (c) => {
    const { cursor, limit, q, status, project, label, parent } = c.req.valid('query');
    const filter = present({ status, project, label, parent, text: q });
    // One more than asked tells whether there is a next page.
    const found = await parts.runs.list({ filter, limit: limit + 1, ...present({ before: cursor }) });
    const page = found.slice(0, limit);
    const runs = await Promise.all(
      page.map(async (run) => ({ ...run, summary: await withHost(run.summary, parts.hosts) })),
    );
    const next = found.length > limit ? page.at(-1)?.runId : undefined;
    return c.json(next === undefined ? { runs } : { runs, cursor: next }, 200);
  });
  app.openapi(showRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { wait = 0 } = c.req.valid('query');
    const run = await awaitEnd(parts, runId, { untilMs: Date.now() + wait, signal: c.req.raw.signal });
    return c.json(await showRun(parts, run), 200);
  });
}

/** The run when it has ended, or as it is when the time is over or the client has gone. */
async function awaitEnd(
  parts: ApiParts,
  runId: string,
  { untilMs, signal }: { untilMs: number; signal: AbortSignal },
): Promise<RunRow> {
  const bell = openBell(parts.stream, runId, 'ended');
  try {
    for (;;) {
      const run = await findRun(parts.runs, runId);
      const leftMs = untilMs - Date.now();
      if (run.summary.status === 'ended' || leftMs <= 0 || signal.aborted) return run;
      await bell.wait(leftMs, signal);
    }
  } finally {
    bell.close();
  }
}
