import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { EventPage } from '#core/contract/http.ts';
import { openBell } from '#api/bell.ts';
import { eventSource, frame, keepalive, keepaliveMs } from '#api/http/event-source.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { eventPage, eventStream } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath, wholeNumber } from '#api/routes/query.ts';

const Cursor = wholeNumber(0);
const pageSize = 500;

const EventsQuery = z.object({
  after: Cursor.optional().describe(
    '`seq` of the last event that is not wanted any more; `Last-Event-ID` goes before it',
  ),
  limit: wholeNumber(1).max(pageSize).default(pageSize).describe('How many events a page has at most'),
});

const eventsRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{runId}/events',
  operationId: 'listEvents',
  tags: ['Record'],
  summary: 'The record of a run: a page, or with `Accept: text/event-stream` a stream that ends with the run',
  request: { params: RunPath, query: EventsQuery },
  responses: {
    200: {
      description: 'Events after the cursor, in order. In a stream only stored events carry an id (their seq)',
      content: {
        'application/json': { schema: EventPage, example: eventPage },
        'text/event-stream': { schema: z.string(), example: eventStream },
      },
    },
    204: { description: 'The stream has nothing more: the run ended at or before the cursor' },
    ...refusalsOf('run/not-found'),
  },
});

/** The record of a run (E9, R035). */
export function routeEvents(app: OpenAPIHono, parts: ApiParts): void {
  app.openAPIRegistry.registerPath(eventsRoute);
  app.get('/v1/runs/:runId/events', async (c) => {
    const { runId } = RunPath.parse(c.req.param());
    const query = parseQuery(EventsQuery, c.req.query());
    if (!wantsStream(c.req.header('accept'))) {
      return c.json(await page(parts, runId, { after: query.after ?? 0, limit: query.limit }));
    }
    const after = parseQuery(z.object({ after: Cursor }), { after: c.req.header('last-event-id') ?? query.after ?? 0 });
    const isOver = await hasEnded(parts, runId, after.after);
    return isOver
      ? c.body(null, 204)
      : eventSource(parts.log, (signal) => eventFrames(parts, runId, after.after, signal));
  });
}

/** What the query or a header says, or a problem that names the first mistake. */
export function parseQuery<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiProblem('http/bad-request', { detail: `${issue?.path.join('.') ?? 'query'}: ${issue?.message ?? ''}` });
}

export function wantsStream(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('text/event-stream');
}

async function page(
  parts: ApiParts,
  runId: string,
  { after, limit }: { after: number; limit: number },
): Promise<EventPage> {
  await findRun(parts.runs, runId);
  const events = await parts.runs.eventsAfter(runId, after, limit);
  return { events, ended: await hasEnded(parts, runId, events.at(-1)?.seq ?? after) };
}

/** Events and summary are written together, so an ended run's summary names its last event. */
async function hasEnded({ runs }: ApiParts, runId: string, cursor: number): Promise<boolean> {
  const { summary } = await findRun(runs, runId);
  return summary.status === 'ended' && cursor >= summary.seq;
}

async function* eventFrames(
  parts: ApiParts,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const bell = openBell(parts.stream, runId);
  let cursor = after;
  try {
    // Sent at once, so that the client sees an open stream before the first event comes.
    yield keepalive;
    while (!signal.aborted) {
      const events = await parts.runs.eventsAfter(runId, cursor, pageSize);
      cursor = events.at(-1)?.seq ?? cursor;
      if (events.length > 0) yield events.map((stored) => frame(stored, stored.seq)).join('');
      if (events.length === pageSize) continue;
      // A run that was retried has stops within its record: only one with nothing after it ends the stream.
      const mayBeOver = events.length === 0 || events.at(-1)?.event.type === 'run.stopped';
      if (mayBeOver && (await hasEnded(parts, runId, cursor))) return;
      if (!(await bell.wait(keepaliveMs, signal))) yield keepalive;
    }
  } finally {
    bell.close();
  }
}
