import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { type OpenApiDocument, openApiDocument } from '#api/openapi/document.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';

const describeRoute = createRoute({
  method: 'get',
  path: '/v1/openapi.json',
  operationId: 'describeApi',
  tags: ['Server'],
  summary: 'This description of the API',
  responses: {
    200: {
      description: 'OpenAPI 3.1',
      content: {
        'application/json': {
          schema: z.record(z.string(), z.unknown()),
          example: { openapi: '3.1.0', info: { title: 'Setpoint', version: '1' }, paths: {} },
        },
      },
    },
    ...refusalsOf(),
  },
});

/** Comes after every other route: what is added later is not in the document. */
export function routeOpenApi(app: OpenAPIHono): void {
  app.openAPIRegistry.registerPath(describeRoute);
  let document: OpenApiDocument | undefined;
  app.get('/v1/openapi.json', (c) => {
    document ??= openApiDocument(app);
    return c.json(document);
  });
}
