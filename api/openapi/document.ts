import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { components } from '#api/openapi/components.ts';
import { problemAnswers } from '#api/openapi/refusals.ts';

const Json = z.json();
type Json = z.infer<typeof Json>;
const Document = z.looseObject({ components: z.looseObject({ schemas: z.record(z.string(), Json) }) });

/** The description of the API, in OpenAPI 3.1: what `/v1/openapi.json` answers and what the client is generated from. */
export type OpenApiDocument = Readonly<Record<string, Json>>;

/** Of an app whose routes are all there. Takes a few dozen milliseconds, needs no part of the app and calls none. */
export function openApiDocument(app: OpenAPIHono): OpenApiDocument {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the server (the file `token` in its home, or SETPOINT_TOKEN), or that of a person',
  });
  // A copy: shapes that were made before the generator was loaded cannot be registered themselves.
  for (const [name, schema] of Object.entries(components)) app.openAPIRegistry.register(name, schema.clone());
  for (const [name, answer] of problemAnswers()) app.openAPIRegistry.registerComponent('responses', name, answer);
  const described = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Setpoint',
      version: '1',
      description: 'Coding agents in closed loops',
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:4747', description: 'The embedded stack' }],
    security: [{ bearer: [] }],
  });
  return withReferences(JSON.parse(JSON.stringify(described)));
}

/**
 * The generator writes a shape out wherever it is a part of another: here each becomes a reference to its component, so
 * that a client has one type for it. Shapes are compared by their text.
 */
function withReferences(described: unknown): OpenApiDocument {
  const document = Document.parse(described);
  const { schemas } = document.components;
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  const referred = (value: Json): Json => {
    const name = names.get(JSON.stringify(value));
    return name === undefined ? inside(value) : { $ref: `#/components/schemas/${name}` };
  };
  const inside = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(referred);
    return typeof value === 'object' && value !== null ? mapped(value, referred) : value;
  };
  const { components: given, ...rest } = z.record(z.string(), Json).parse(document);
  const kept = z.record(z.string(), Json).parse(given);
  return { ...mapped(rest, referred), components: { ...kept, schemas: mapped(schemas, inside) } };
}

function mapped(object: Readonly<Record<string, Json>>, change: (value: Json) => Json): Record<string, Json> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
