import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { Cleanup, type CleanupOutcome, CleanupShown } from '#core/contract/cleanup.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { RefusalCode } from '#core/run/run-codes.ts';
import type { RunRow } from '#infra/postgres/run-store.ts';
import type { CleanupFate } from '#infra/temporal/clean-up.ts';
import { foldRecord } from '#infra/temporal/reseat.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { cleanedUp, cleanup } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath } from '#api/routes/query.ts';

const shown = { content: { 'application/json': { schema: CleanupShown, example: cleanedUp } } };

const cleanupRoute = createRoute({
  method: 'post',
  path: '/v1/runs/{runId}/cleanup',
  operationId: 'cleanupRun',
  tags: ['Steering'],
  summary: 'Remove the worktree of a run that has ended; its events and artifacts stay',
  request: { params: RunPath, body: { content: { 'application/json': { schema: Cleanup, example: cleanup } } } },
  responses: {
    200: { description: 'What was removed; nothing, if it was cleaned up before', ...shown },
    202: { description: 'Taken, and its host did not do it in time; it does when it is back', ...shown },
    ...refusalsOf('run/not-found', 'run/refused', 'run/unsaved-work', 'run/cleanup-failed', 'engine/unavailable'),
  },
});

/** Cleaning up after runs (T-29). It is done by the run's own host. */
export function routeCleanup(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(cleanupRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { snapshots = false, dryRun = false } = c.req.valid('json') ?? {};
    const run = await findRun(parts.runs, runId);
    if (run.summary.status !== 'ended') throw notEnded(run);
    const { state } = await foldRecord(parts.runs, run);
    const { queue, hostId, base, artifacts } = state.workspace;
    // It never got a worktree, or works in a checkout that is not ours to remove (F4), and has nothing beside it.
    const isBare = base === null && artifacts === undefined;
    if (queue === null || hostId === null || isBare) return c.json(shownAs(run, dryRun, nothing), 200);
    const fate = await parts.engine.cleanUp({ queue, request: { runId, snapshots, dryRun } });
    if (fate.kind !== 'pending') return c.json(shownAs(run, dryRun, removedBy(fate, { run, hostId })), 200);
    c.header('location', `/v1/runs/${runId}`);
    return c.json({ runId, status: 'pending' as const, why: await whyPending(parts, hostId) }, 202);
  });
}

const nothing = { worktree: null, readers: 0, snapshots: 0, keptRefs: 0 };

function shownAs({ runId }: RunRow, dryRun: boolean, removed: NonNullable<CleanupShown['removed']>): CleanupShown {
  return { runId, status: dryRun ? 'dry_run' : 'cleaned', removed };
}

interface Where {
  run: RunRow;
  hostId: string;
}

function removedBy(fate: Exclude<CleanupFate, { kind: 'pending' }>, where: Where) {
  switch (fate.kind) {
    case 'answered':
      return removedOrRefused(fate.outcome, where);
    case 'failed':
      throw new ApiProblem('run/cleanup-failed', {
        detail: `Host ${where.hostId} could not clean up after ${where.run.runId}: ${fate.message}`,
        remedy: 'Mend what it names, then clean up again.',
        ...(fate.code === undefined ? {} : { code: fate.code }),
      });
    case 'unreachable':
      throw new ApiProblem('engine/unavailable', {
        detail: 'Temporal does not answer, so nothing was removed.',
        remedy: 'See `setpoint status`, and ask again when it answers.',
      });
    default:
      return unreachable(fate);
  }
}

function removedOrRefused(outcome: CleanupOutcome, { run, hostId }: Where) {
  switch (outcome.kind) {
    case 'cleaned':
      return outcome.removed;
    case 'unsaved':
      throw new ApiProblem('run/unsaved-work', {
        detail: `${outcome.path} on host ${hostId} holds work that no snapshot or commit holds: ${pathsOf(outcome)}.`,
        remedy: `Keep it: git -C ${outcome.path} add -A && git -C ${outcome.path} commit -m kept. Or drop it: rm -rf ${outcome.path}. Then clean up again.`,
      });
    case 'unreadable':
      throw new ApiProblem('run/unsaved-work', {
        detail: `${outcome.path} on host ${hostId} cannot be compared with the run's snapshots: its repository, or our record of it, is gone.`,
        remedy: `Save what you need of it, delete the folder, then clean up again.`,
      });
    case 'not_ended':
      throw notEnded(run);
    default:
      return unreachable(outcome);
  }
}

function pathsOf({ changed, count }: { changed: string[]; count: number }): string {
  const shownPaths = changed.slice(0, 5);
  const more = count > shownPaths.length ? ` and ${count - shownPaths.length} more` : '';
  return `${shownPaths.join(', ')}${more}`;
}

function notEnded({ runId }: RunRow): ApiProblem {
  return new ApiProblem('run/refused', {
    detail: `${runId} has not ended, so it needs its worktree.`,
    remedy: `Let it end, or end it: setpoint cancel ${runId}.`,
    code: 'run/not-ended' satisfies RefusalCode,
  });
}

async function whyPending({ hosts }: ApiParts, hostId: string): Promise<string> {
  const host = await hosts.find(hostId);
  if (host === undefined || host.alive) return `Host ${hostId} has not answered yet.`;
  return `Host ${hostId} was last seen at ${host.lastSeenAt}; it cleans up when it is back.`;
}
