import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { isAbsolute } from 'node:path';
import { ulid } from 'ulid';
import { RunListed } from '#core/contract/http.ts';
import { ForkRun } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';
import { apply } from '#core/run/apply.ts';
import type { RunEventOf, StoredEvent } from '#core/run/event.ts';
import { type ForkPoint, forkPoint, type PassPlace } from '#core/run/fork.ts';
import type { RunState } from '#core/run/state.ts';
import { summarise } from '#core/run/summarise.ts';
import { isHeld } from '#infra/git/hold-snapshot.ts';
import type { RunRow, StartedRun } from '#infra/postgres/run-store.ts';
import { startFromRecord } from '#infra/temporal/reseat.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { runForked } from '#api/openapi/examples.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';
import { findRun } from '#api/routes/find-run.ts';
import { RunPath } from '#api/routes/query.ts';
import { bodyDigest } from '#api/routes/request-body.ts';
import { sentBy } from '#api/routes/send-message.ts';
import { listedRun } from '#api/routes/show-run.ts';

const listed = { content: { 'application/json': { schema: RunListed, example: runForked } } };
const example = { step: 'work', pass: 2, name: 'Another way' };

const forkRoute = createRoute({
  method: 'post',
  path: '/v1/runs/{runId}/fork',
  operationId: 'forkRun',
  tags: ['Steering'],
  summary: 'Start a new run that goes on after a pass of this one, from its snapshot',
  request: {
    params: RunPath,
    body: { required: true, content: { 'application/json': { schema: ForkRun, example } } },
  },
  responses: {
    201: { description: 'The new run', ...listed },
    200: { description: 'The run that was forked under this message id before', ...listed },
    ...refusalsOf(
      'run/not-found',
      'fork/no-such-pass',
      'fork/snapshot-gone',
      'run/message-conflict',
      'server/loops-off',
    ),
  },
});

/** Forks (E8): another run with the record of this one up to a pass. This one is not touched. */
export function routeFork(app: OpenAPIHono, parts: ApiParts): void {
  app.openapi(forkRoute, async (c) => {
    const { runId } = c.req.valid('param');
    const { messageId, ...asked } = c.req.valid('json');
    const sent = sentBy(c, messageId);
    const stored = await fork(parts, await findRun(parts.runs, runId), { ...asked, ...sent });
    if (stored.kind === 'conflict') throw sentBefore(stored.runId);
    const { run, kind } = stored;
    // The row is the promise, as of any new run.
    const isUnseated = run.seat === 1 && run.summary.status === 'queued';
    if (isUnseated) await startFromRecord(parts, { run, seat: 1, reason: 'forked' });
    c.header('location', `/v1/runs/${run.runId}`);
    return c.json(listedRun(run), kind === 'created' ? 201 : 200);
  });
}

interface Asked extends PassPlace {
  id: string;
  by: string;
  name?: string | undefined;
}

async function fork(parts: ApiParts, from: RunRow, { id, by, name, step, pass }: Asked): Promise<StartedRun> {
  const events = await parts.runs.eventsAfter(from.runId, 0);
  const point = forkPoint(from.plan, events, { step, pass });
  if (point.kind === 'none') throw noSuchPass(from, { step, pass }, point.passes);
  await requireSnapshot(from, point.state, parts.dataFolder);
  const runId = `run_${ulid().toLowerCase()}`;
  const event: RunEventOf<'run.forked'> = {
    type: 'run.forked',
    at: Date.now(),
    runId,
    from: { runId: from.runId, step, pass },
    by,
    ...present({ name }),
  };
  return parts.steering.fork({
    runId,
    from,
    seq: point.seq,
    event,
    summarise: (forked) => summarise(from.plan, apply(from.plan, point.state, forked), point.seq + 1),
    idempotencyKey: `fork:${id}`,
    bodySha256: bodyDigest({ runId: from.runId, step, pass, name, by }),
    createdBy: by,
    ...present({ editedBy: lastEdit(events, point) }),
  });
}

function lastEdit(events: readonly StoredEvent[], { seq }: Extract<ForkPoint, { kind: 'found' }>): string | undefined {
  const edit = events.findLast((stored) => stored.seq <= seq && stored.event.type === 'run.edited');
  return edit?.event.type === 'run.edited' ? edit.event.messageId : undefined;
}

/** A host of another machine looks for itself: it opens no workspace for a fork whose snapshot it does not have. */
async function requireSnapshot(run: RunRow, { workspace }: RunState, dataFolder: string): Promise<void> {
  if (workspace.snapshot === null) {
    throw snapshotGone(run, 'It works in the checkout itself (worktree: false), where no snapshots are made.');
  }
  const { repo } = run.plan.workspace;
  const place = isAbsolute(repo) ? repo : (workspace.path ?? repo);
  const isThere = await isHeld(place, workspace.snapshot.commit);
  const isHere = workspace.path?.startsWith(`${dataFolder}/`) === true;
  if (isThere === false || (isThere === undefined && isHere)) {
    const gone = isThere === false ? `no ref of ${place} holds it any more` : `there is no repository at ${place}`;
    throw snapshotGone(run, `The snapshot of this pass is gone: ${gone}.`);
  }
}

const mostListed = 10;

function noSuchPass(run: RunRow, { step, pass }: PassPlace, passes: readonly PassPlace[]): ApiProblem {
  const near = passes.toSorted((a, b) => Math.abs(a.pass - pass) - Math.abs(b.pass - pass)).slice(0, mostListed);
  const shown = near.map((place) => `${place.step}:${place.pass}`).join(', ');
  return new ApiProblem('fork/no-such-pass', {
    detail: `${run.runId} has no finished pass ${pass} of a step "${step}".`,
    remedy:
      shown === ''
        ? `No pass of it has finished yet: setpoint watch ${run.runId}.`
        : `The nearest are ${shown}: setpoint fork ${run.runId} --at STEP:PASS.`,
  });
}

function snapshotGone({ runId }: RunRow, detail: string): ApiProblem {
  return new ApiProblem('fork/snapshot-gone', {
    detail,
    remedy: `Fork ${runId} at another pass, or start a new run.`,
  });
}

function sentBefore(runId: string): ApiProblem {
  return new ApiProblem('run/message-conflict', {
    detail: `Another fork was asked for under this id before: it is ${runId}.`,
    remedy: 'Send it under a new messageId.',
  });
}
