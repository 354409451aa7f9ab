import { OpenAPIHono } from '@hono/zod-openapi';
import type { Issue } from '#core/issue/issue.ts';
import { bodyLimit } from 'hono/body-limit';
import { requirePrincipal } from '#api/http/bearer.ts';
import { catchAll, unknownRoute } from '#api/http/catch-all.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { routeOpenApi } from '#api/openapi/route.ts';
import type { ApiParts } from '#api/parts.ts';
import { routeArtifacts } from '#api/routes/artifacts.ts';
import { routeCleanup } from '#api/routes/cleanup.ts';
import { routeDecide } from '#api/routes/decide.ts';
import { routeDefinitions } from '#api/routes/definitions.ts';
import { routeDiff } from '#api/routes/diff.ts';
import { routeEdit } from '#api/routes/edit.ts';
import { routeEvents } from '#api/routes/events.ts';
import { routeFork } from '#api/routes/fork.ts';
import { routeHealth, routeMetrics } from '#api/routes/health.ts';
import { routeMcp } from '#api/routes/mcp.ts';
import { routeOutput } from '#api/routes/output.ts';
import { routePeople } from '#api/routes/people.ts';
import { routeRuns } from '#api/routes/runs.ts';
import { routeSecrets } from '#api/routes/secrets.ts';
import { routeServer } from '#api/routes/server.ts';
import { routeSources } from '#api/routes/sources.ts';
import { routeStart } from '#api/routes/start.ts';
import { routeSteer } from '#api/routes/steer.ts';
import { routeTasks } from '#api/routes/tasks.ts';

const maxBodyBytes = 1024 * 1024;

/** The HTTP API (docs/guide/http-api.md) over its parts. Every error is answered as a problem; all but the probes need the token. */
export function createApp(parts: ApiParts): OpenAPIHono {
  const app = new OpenAPIHono({
    defaultHook: (result) => {
      if (!result.success) throw notAsExpected(result.target, result.error.issues);
    },
  });
  app.onError(catchAll(parts.log));
  app.notFound(unknownRoute);
  routeHealth(app, parts);
  app.use(requirePrincipal(parts));
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge }));
  routeMetrics(app, parts);
  routeServer(app, parts);
  routeStart(app, parts);
  routeRuns(app, parts);
  routeEvents(app, parts);
  routeOutput(app, parts);
  routeDiff(app, parts);
  routeSteer(app, parts);
  routeEdit(app, parts);
  routeFork(app, parts);
  routeTasks(app, parts);
  routeDecide(app, parts);
  routeCleanup(app, parts);
  routeArtifacts(app, parts);
  routeDefinitions(app, parts);
  routeSecrets(app, parts);
  routePeople(app, parts);
  routeSources(app, parts);
  routeMcp(app, parts);
  routeOpenApi(app);
  return app;
}

function notAsExpected(part: string, found: readonly { path: PropertyKey[]; message: string }[]): ApiProblem {
  const issues = found.map(({ path, message }): Issue => {
    return { path: path.map(String).join('.'), code: 'http/bad-request', message, severity: 'error' };
  });
  const first = issues[0];
  return new ApiProblem('http/bad-request', {
    detail: `In the request's ${part}: ${[first?.path, first?.message].filter(Boolean).join(': ')}`,
    remedy: 'See /v1/openapi.json for what this call takes.',
    issues,
  });
}

function tooLarge(): never {
  throw new ApiProblem('http/body-too-large', {
    detail: 'The body is larger than 1 MiB.',
    remedy: 'Put long texts into files of the repository and name them in the definition.',
  });
}
