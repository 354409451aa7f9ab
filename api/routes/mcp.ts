import type { OpenAPIHono } from '@hono/zod-openapi';
import { createConfirmations } from '#mcp/confirmation.ts';
import { createHttpDoor } from '#mcp/http-door.ts';
import { bearerTokenOf, principalOf } from '#api/http/bearer.ts';
import type { ApiParts } from '#api/parts.ts';

/** The door for agents (E-24): the tools of `setpoint mcp`, each a call of this API in the name of whoever asks. */
export function routeMcp(app: OpenAPIHono, { confirmationKey, loops, log }: ApiParts): void {
  const door = createHttpDoor({
    api: (request) => app.fetch(request),
    confirmations: createConfirmations(confirmationKey),
    loops,
    onError: (error) => log.warn({ err: error }, 'a request of the Model Context Protocol'),
  });
  app.all('/mcp', (c) => door(c.req.raw, { token: bearerTokenOf(c) ?? '', name: principalOf(c).name }));
}
