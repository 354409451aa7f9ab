import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiParts } from '#api/parts.ts';

/** Whether this process is there, and whether what it needs answers. Open to everybody: they tell nothing about runs. */
export function routeHealth(app: OpenAPIHono, parts: ApiParts): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
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
