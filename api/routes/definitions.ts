import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import {
  DefinitionList,
  DefinitionName,
  DefinitionShown,
  DefinitionVersions,
  ProjectName,
  PutDefinition,
} from '#core/contract/library.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import type { Library } from '#core/plan/call-graph.ts';
import { compileText, compileValue } from '#dialects/parse.ts';
import { principalOf } from '#api/http/bearer.ts';
import { pageOf, PageQuery, placeCursor, placeOfCursor, ProjectPageQuery } from '#api/http/page.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { callableFrom } from '#api/routes/callable.ts';
import { invalidDefinition, requireCarried } from '#api/routes/compile-run.ts';
import { wholeNumber } from '#api/routes/query.ts';
import { storedDefinition, storedFile } from '#api/routes/stored-definition.ts';

const params = z.object({ name: DefinitionName });
const project = ProjectName.optional();
const example = {
  project: 'default',
  name: 'green',
  version: 2,
  dialect: 'native',
  createdBy: 'ada',
  createdAt: '2026-11-30T15:06:56.487Z',
};
const source = 'task: Make the test suite pass.\nagent: codex\nchecks: [npm test]\n';
const shown = { content: { 'application/json': { schema: DefinitionShown, example: { ...example, source } } } };
const aPage = 'A page; `cursor` leads to the next one and is absent on the last';

const listRoute = createRoute({
  method: 'get',
  path: '/v1/definitions',
  operationId: 'listDefinitions',
  tags: ['Definitions'],
  summary: 'List stored definitions by name, each in its newest version',
  request: { query: ProjectPageQuery },
  responses: {
    200: {
      description: aPage,
      content: { 'application/json': { schema: DefinitionList, example: { definitions: [example] } } },
    },
    ...refusalsOf(),
  },
});

const putRoute = createRoute({
  method: 'put',
  path: '/v1/definitions/{name}',
  operationId: 'putDefinition',
  tags: ['Definitions'],
  summary: 'Store a definition; one that cannot be run is refused with every issue',
  request: {
    params,
    body: { required: true, content: { 'application/json': { schema: PutDefinition, example: { source } } } },
  },
  responses: {
    201: { description: 'A new version', ...shown },
    200: { description: 'The newest version, which says the same', ...shown },
    ...refusalsOf('definition/invalid', 'http/body-too-large'),
  },
});

const showRoute = createRoute({
  method: 'get',
  path: '/v1/definitions/{name}',
  operationId: 'showDefinition',
  tags: ['Definitions'],
  summary: 'Show a stored definition: the newest version, or the one that is named',
  request: { params, query: z.object({ version: wholeNumber(1).optional(), project }) },
  responses: { 200: { description: 'The definition with its text', ...shown }, ...refusalsOf('definition/not-found') },
});

const versionsRoute = createRoute({
  method: 'get',
  path: '/v1/definitions/{name}/versions',
  operationId: 'listDefinitionVersions',
  tags: ['Definitions'],
  summary: 'List the versions of a stored definition, newest first',
  request: { params, query: PageQuery.extend({ cursor: wholeNumber(1).optional(), project }) },
  responses: {
    200: {
      description: aPage,
      content: { 'application/json': { schema: DefinitionVersions, example: { versions: [example] } } },
    },
    ...refusalsOf('definition/not-found'),
  },
});

/** Definitions that are kept under a name, every version of them; runs are started by the name. */
export function routeDefinitions(app: OpenAPIHono, parts: ApiParts): void {
  const { definitions } = parts;
  app.openapi(putRoute, async (c) => {
    const { name } = c.req.valid('param');
    const request = c.req.valid('json');
    const put = { project: request.project ?? defaults.project, name, createdBy: principalOf(c).name };
    const called = await callableFrom(
      definitions,
      { ...request, file: storedFile(name) },
      { project: put.project, self: name },
    );
    const { created, definition } = await definitions.put({ ...put, ...compiledText(name, request, called) });
    return c.json(definition, created ? 201 : 200);
  });
  app.openapi(listRoute, async (c) => {
    const { cursor, limit, project: only } = c.req.valid('query');
    const after = placeOfCursor(cursor);
    const found = await definitions.list({ limit: limit + 1, ...present({ project: only, after }) });
    const { page, ...next } = pageOf(found, limit, placeCursor);
    return c.json({ definitions: page, ...next }, 200);
  });
  app.openapi(showRoute, async (c) => {
    const { name } = c.req.valid('param');
    return c.json(await storedDefinition(definitions, { name, ...c.req.valid('query') }), 200);
  });
  app.openapi(versionsRoute, async (c) => {
    const { name } = c.req.valid('param');
    const { cursor, limit, project: within } = c.req.valid('query');
    const { project: home } = await storedDefinition(definitions, { name, ...present({ project: within }) });
    const found = await definitions.versions({
      project: home,
      name,
      limit: limit + 1,
      ...present({ before: cursor }),
    });
    const { page, ...next } = pageOf(found, limit, ({ version }) => String(version));
    return c.json({ versions: page, ...next }, 200);
  });
}

/** The text to store, and the dialect in which it was understood; or a problem that lists every issue (422). */
function compiledText(name: string, request: PutDefinition, library: Library): { source: string; dialect: string } {
  const { definition, dialect } = request;
  const given = { file: storedFile(name), ...present({ dialect }), library };
  if (request.source !== undefined && definition === undefined) {
    const compiled = compileText({ text: request.source, ...given });
    if (compiled.kind === 'issues') throw invalidDefinition(compiled.issues);
    requireCarried(compiled.plan);
    return { source: request.source, dialect: compiled.dialect };
  }
  if (definition !== undefined && request.source === undefined) {
    const compiled = compileValue(definition, given);
    if (compiled.kind === 'issues') throw invalidDefinition(compiled.issues);
    requireCarried(compiled.plan);
    return { source: `${JSON.stringify(definition, null, 2)}\n`, dialect: compiled.dialect };
  }
  throw new ApiProblem('http/bad-request', {
    detail: 'A stored definition needs exactly one of `source` (the text) and `definition` (an object).',
    remedy: 'Send one of them.',
  });
}
