import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { ServerShown } from '#core/contract/server.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';

const serverRoute = createRoute({
  method: 'get',
  path: '/v1/server',
  operationId: 'showServer',
  tags: ['Server'],
  summary: 'Whether this deployment runs loops',
  responses: {
    200: {
      description: 'With `loops: off` calls that start or spend are refused (`server/loops-off`)',
      content: { 'application/json': { schema: ServerShown, example: { loops: 'on' } } },
    },
    ...refusalsOf(),
  },
});

/** Every call that starts a run, or lets one spend more. */
const starting = ['/v1/runs', '/v1/plans', ...['resume', 'retry', 'raise', 'edit', 'push-back', 'fork'].map(ofRun)];

function ofRun(action: string): string {
  return `/v1/runs/:runId/${action}`;
}

/** The switch of a deployment (E-27). Comes before the calls that it refuses. */
export function routeServer(app: OpenAPIHono, { loops }: ApiParts): void {
  app.openapi(serverRoute, (c) => c.json({ loops }, 200));
  if (loops === 'on') return;
  for (const path of starting) {
    app.post(path, () => {
      throw loopsOff();
    });
  }
}

export function loopsOff(): ApiProblem {
  return new ApiProblem('server/loops-off', {
    detail:
      'Loops are switched off on this server (SETPOINT_LOOPS=off): it starts nothing and lets nothing spend more.',
    remedy: 'Ask whoever runs the server, or use another one (--server). Open runs can be read, paused and cancelled.',
  });
}
