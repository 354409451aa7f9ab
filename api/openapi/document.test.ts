import { Validator } from '@seriousme/openapi-schema-validator';
import type { RouteConfig } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { Problem } from '#core/contract/http.ts';
import { withApi, type TestApi } from '../../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

const Operation = z.looseObject({
  operationId: z.string().regex(/^[a-z]+([A-Z][a-z]+)+$/),
  summary: z.string().regex(/^[A-Z].*[^.]$/),
  tags: z.array(z.string()).length(1),
  security: z.array(z.unknown()).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

async function operations(): Promise<(z.infer<typeof Operation> & { path: string; method: string })[]> {
  const { paths } = Document.parse(await (await api.call('/v1/openapi.json')).json());
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
}

test('the document is valid OpenAPI 3.1', async () => {
  const document = z.record(z.string(), z.unknown()).parse(await (await api.call('/v1/openapi.json')).json());
  expect(document).toMatchObject({ openapi: '3.1.0', security: [{ bearer: [] }] });
  expect(await new Validator().validate(document)).toEqual({ valid: true });
});

test('every call of the app is described, with an id of its own, a summary and a tag', async () => {
  const described = await operations();
  const served = api.app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(described.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
    [...new Set(served)].toSorted(),
  );
  const ids = described.map(({ operationId }) => operationId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('every call that needs the token tells its problems', async () => {
  for (const { operationId, security, responses } of await operations()) {
    if (security?.length === 0) continue;
    expect([operationId, Object.keys(responses)]).toEqual([
      operationId,
      expect.arrayContaining(['400', '401', '500', '503', 'default']),
    ]);
  }
});

/** Every content of a route, with the place that a failure names. */
function contentsOf({ method, path, request, responses }: RouteConfig) {
  const answers = Object.entries(responses).map(([status, answer]) => [status, answer] as const);
  return [['request', request?.body] as const, ...answers].flatMap(([part, body]) =>
    body === undefined || !('content' in body) || body.content === undefined
      ? []
      : Object.entries(body.content).map(([type, media]) => ({ place: `${method} ${path} ${part} ${type}`, media })),
  );
}

test('every content has an example, and its own schema reads it without a change', () => {
  const contents = api.app.openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === 'route' ? contentsOf(definition.route) : [],
  );
  expect(contents.length).toBeGreaterThan(20);
  for (const { place, media } of contents) {
    const { schema, example, examples } = z
      .looseObject({ examples: z.record(z.string(), z.object({ value: z.unknown() })).optional() })
      .parse(media);
    const values = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
    for (const value of values) {
      expect([place, value]).not.toEqual([place, undefined]);
      const shape = schema instanceof z.ZodType ? schema : Problem;
      expect([place, shape.parse(value)]).toEqual([place, value]);
    }
  }
});
