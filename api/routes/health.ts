import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { metrics } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';

const Health = z.object({ status: z.literal('ok') });
const Readiness = z.object({ database: z.boolean(), temporal: z.boolean() });
const readiness = (example: z.infer<typeof Readiness>) => ({ 'application/json': { schema: Readiness, example } });

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'showHealth',
  tags: ['Server'],
  summary: 'Whether the process is there; needs no token',
  security: [],
  responses: {
    200: { description: 'It is', content: { 'application/json': { schema: Health, example: { status: 'ok' } } } },
  },
});

const readinessRoute = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'showReadiness',
  tags: ['Server'],
  summary: 'Whether what the process needs answers; needs no token',
  security: [],
  responses: {
    200: { description: 'All of it does', content: readiness({ database: true, temporal: true }) },
    503: { description: 'Some of it is away', content: readiness({ database: true, temporal: false }) },
  },
});

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'readMetrics',
  tags: ['Server'],
  summary: 'Runs by status and hosts by lease, as Prometheus reads them',
  responses: {
    200: {
      description: 'The text format of Prometheus',
      content: { 'text/plain': { schema: z.string(), example: metrics } },
    },
    ...refusalsOf(),
  },
});

/** Whether this process is there, and whether what it needs answers. Open to everybody: they tell nothing about runs. */
export function routeHealth(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(healthRoute, (c) => c.json({ status: 'ok' as const }, 200));
  app.openapi(readinessRoute, async (c) => {
    const [database, temporal] = await Promise.all([isStoreReachable(parts), parts.engine.isReachable()]);
    return c.json({ database, temporal }, database && temporal ? 200 : 503);
  });
}

async function isStoreReachable({ hosts }: ApiParts): Promise<boolean> {
  return hosts.find('').then(
    () => true,
    () => false,
  );
}

/** Runs by status and hosts by lease, as Prometheus reads them. */
export function routeMetrics(app: OpenAPIHono, { runs, hosts }: ApiParts): void {
  app.openAPIRegistry.registerPath(metricsRoute);
  app.get('/metrics', async (c) => {
    const [counts, known] = await Promise.all([runs.countByStatus(), hosts.list()]);
    const alive = known.filter((host) => host.alive);
    const lines = [
      '# HELP setpoint_runs Runs by status.',
      '# TYPE setpoint_runs gauge',
      ...Object.entries(counts).map(([status, count]) => `setpoint_runs{status="${status}"} ${count}`),
      '# HELP setpoint_hosts Hosts by whether their lease holds.',
      '# TYPE setpoint_hosts gauge',
      `setpoint_hosts{lease="held"} ${alive.length}`,
      `setpoint_hosts{lease="expired"} ${known.length - alive.length}`,
    ];
    return c.text(`${lines.join('\n')}\n`, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
}
