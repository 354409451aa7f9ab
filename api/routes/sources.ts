import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ulid } from 'ulid';
import { PutSource, Source, SourceLabel, SourceList } from '#core/contract/library.ts';
import { present } from '#core/definition/present.ts';
import { principalOf } from '#api/http/bearer.ts';
import { pageOf, PageQuery } from '#api/http/page.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { sendAll } from '#api/routes/send-all.ts';
import { loopsOff } from '#api/routes/server.ts';

const example = { label: 'nightly', on: false, changedBy: 'ada', changedAt: '2026-11-30T15:06:56.487Z' };

const listRoute = createRoute({
  method: 'get',
  path: '/v1/sources',
  operationId: 'listSources',
  tags: ['Sources'],
  summary: 'List labels that were ever switched; every other label is on',
  request: { query: PageQuery },
  responses: {
    200: {
      description: 'A page; `cursor` leads to the next one and is absent on the last',
      content: { 'application/json': { schema: SourceList, example: { sources: [example] } } },
    },
    ...refusalsOf(),
  },
});

const putRoute = createRoute({
  method: 'put',
  path: '/v1/sources/{label}',
  operationId: 'putSource',
  tags: ['Sources'],
  summary: 'Switch a label off or on: while it is off, its runs begin no new pass',
  request: {
    params: z.object({ label: SourceLabel }),
    body: { required: true, content: { 'application/json': { schema: PutSource, example: { on: false } } } },
  },
  responses: {
    200: { description: 'The source as it is now', content: { 'application/json': { schema: Source, example } } },
    ...refusalsOf(),
  },
});

/** Sources: labels whose runs can be held (E-19). */
export function routeSources(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(listRoute, async (c) => {
    const { cursor, limit } = c.req.valid('query');
    const found = await parts.sources.list({ limit: limit + 1, ...present({ after: cursor }) });
    const { page, ...next } = pageOf(found, limit, ({ label }) => label);
    return c.json({ sources: page, ...next }, 200);
  });
  app.openapi(putRoute, async (c) => {
    const { label } = c.req.valid('param');
    const { on } = c.req.valid('json');
    // What is held would go on, and so spend (E-27).
    if (on && parts.loops === 'off') throw loopsOff();
    const change = { label, on, changedBy: principalOf(c).name, id: ulid().toLowerCase() };
    const { source, messages } = await parts.sources.put(change);
    await sendAll(parts, messages);
    return c.json(source, 200);
  });
}
