import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ProjectName, PutSecret, SecretList, SecretListed, SecretName } from '#core/contract/library.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { isLongEnoughForSecret } from '#core/text/secret-forms.ts';
import { principalOf } from '#api/http/bearer.ts';
import { pageOf, placeCursor, placeOfCursor, ProjectPageQuery } from '#api/http/page.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';

const params = z.object({ name: SecretName });
const example = { project: 'default', name: 'NPM_TOKEN', updatedAt: '2026-11-30T15:06:56.487Z' };
const stored = { content: { 'application/json': { schema: SecretListed, example } } };

const listRoute = createRoute({
  method: 'get',
  path: '/v1/secrets',
  operationId: 'listSecrets',
  tags: ['Secrets'],
  summary: 'List stored secrets, by name: names and dates only',
  request: { query: ProjectPageQuery },
  responses: {
    200: {
      description: 'A page; `cursor` leads to the next one and is absent on the last',
      content: { 'application/json': { schema: SecretList, example: { secrets: [example] } } },
    },
    ...refusalsOf(),
  },
});

const putRoute = createRoute({
  method: 'put',
  path: '/v1/secrets/{name}',
  operationId: 'putSecret',
  tags: ['Secrets'],
  summary: 'Store a secret; its value is never shown again',
  request: {
    params,
    body: {
      required: true,
      content: { 'application/json': { schema: PutSecret, example: { value: 'npm_0123456789' } } },
    },
  },
  responses: {
    201: { description: 'Stored', ...stored },
    200: { description: 'Its value was replaced', ...stored },
    ...refusalsOf('secret/too-short', 'secret/no-key', 'http/body-too-large'),
  },
});

const removeRoute = createRoute({
  method: 'delete',
  path: '/v1/secrets/{name}',
  operationId: 'removeSecret',
  tags: ['Secrets'],
  summary: 'Remove a stored secret',
  request: { params, query: z.object({ project: ProjectName.optional() }) },
  responses: { 204: { description: 'Removed' }, ...refusalsOf('secret/not-found') },
});

/** Secrets that hosts give to the steps that name them (H4). No call shows a value. */
export function routeSecrets(app: OpenAPIHono, { secrets }: ApiParts): void {
  app.openapi(listRoute, async (c) => {
    const { cursor, limit, project } = c.req.valid('query');
    const found = await secrets.list({ limit: limit + 1, ...present({ project, after: placeOfCursor(cursor) }) });
    const { page, ...next } = pageOf(found, limit, placeCursor);
    return c.json({ secrets: page, ...next }, 200);
  });
  app.openapi(putRoute, async (c) => {
    const { name } = c.req.valid('param');
    const { value, project = defaults.project } = c.req.valid('json');
    if (!isLongEnoughForSecret(value)) throw tooShort(name);
    const { secret, created } = await secrets.put({ project, name, value, updatedBy: principalOf(c).name });
    return c.json(secret, created ? 201 : 200);
  });
  app.openapi(removeRoute, async (c) => {
    const { name } = c.req.valid('param');
    const { project = defaults.project } = c.req.valid('query');
    if (await secrets.remove({ project, name })) return c.body(null, 204);
    throw new ApiProblem('secret/not-found', {
      detail: `The project ${project} has no stored secret ${name}.`,
      remedy: 'See those that there are: setpoint secrets.',
    });
  });
}

function tooShort(name: string): ApiProblem {
  return new ApiProblem('secret/too-short', {
    detail: `The value of ${name} has fewer than 6 characters, so it cannot be hidden in output.`,
    remedy: 'Use a longer value, or plain `env` if it is no secret.',
  });
}
