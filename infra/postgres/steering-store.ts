import { z } from 'zod';
import { ForkPlace } from '#core/contract/http.ts';
import { RunDefinition } from '#core/contract/steer.ts';
import type { RunEventOf } from '#core/run/event.ts';
import type { RunSummary } from '#core/run/summary.ts';
import type { Database, Queries } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';
import { queuedSummary, type RunRow, type StartedRun, startedRun, whole } from '#infra/postgres/run-store.ts';
import { heldSources } from '#infra/postgres/source-store.ts';

type Forked = RunEventOf<'run.forked'>;

/** A run that goes on from a pass of another one (E8). */
export interface NewFork {
  runId: string;
  from: RunRow;
  /** The last event of the first run that is the fork's, too. */
  seq: number;
  /** Comes after it; the sources that are off are added. */
  event: Forked;
  /** Of the shared events and that one. */
  summarise: (event: Forked) => RunSummary;
  idempotencyKey: string;
  /** Of the request: the same key for another one is a conflict. */
  bodySha256: string;
  createdBy: string;
  /** The last edit among the shared events. */
  editedBy?: string;
}

export interface SteeringStore {
  /** Stores a fork with its record, or finds the one of the same key (D2). All or nothing. */
  fork(fork: NewFork): Promise<StartedRun>;
  /** The forks of a run, oldest first: each with the pass that it began at. */
  forksOf(runId: string): Promise<ForkPlace[]>;
  /** What the run's plan was last compiled from; undefined for one that was started without a text, as a child run is. */
  definitionOf(runId: string): Promise<RunDefinition | undefined>;
}

/** Faults: `store/unavailable`. */
export function createSteeringStore(database: Database): SteeringStore {
  return {
    fork: (fork) => database.transaction((within) => forkRun(within, fork)),
    async forksOf(runId) {
      const { rows } = await database.query({
        text: `select run_id as "runId", forked_from ->> 'step' as step, (forked_from ->> 'pass')::int as pass
          from runs where forked_from is not null and forked_from ->> 'runId' = $1 order by run_id`,
        values: [runId],
      });
      return z.array(ForkPlace).parse(rows);
    },
    async definitionOf(runId) {
      const { rows } = await database.query({
        text: `select coalesce(
            (select definition from messages
              where run_id = $1 and kind = 'edit' and status = 'applied' and definition is not null
              order by created_at desc limit 1),
            (select definition from runs where run_id = $1)) as definition`,
        values: [runId],
      });
      const found = rows[0]?.['definition'] ?? undefined;
      return found === undefined ? undefined : RunDefinition.parse(found);
    },
  };
}

async function forkRun(within: Queries, fork: NewFork): Promise<StartedRun> {
  const held = await heldSources(within, fork.from.labels);
  const event = { ...fork.event, ...(held.length === 0 ? {} : { held }) };
  const stored = await insertFork(within, fork, event);
  if (stored.kind !== 'created') return stored;
  await within.query({
    text: `insert into events (run_id, seq, type, at, event)
      select $1, seq, type, at, event from events where run_id = $2 and seq <= $3
      union all
      select $1, $3 + 1, $4::jsonb ->> 'type', to_timestamp(($4::jsonb ->> 'at')::float8 / 1000), $4::jsonb`,
    values: [fork.runId, fork.from.runId, fork.seq, jsonb(event)],
  });
  return stored;
}

async function insertFork(within: Queries, fork: NewFork, event: Forked): Promise<StartedRun> {
  const { from } = fork;
  const { held = [] } = event;
  const folded = fork.summarise(event);
  // Its workflow records nothing while it is held, so why it waits is told from the start.
  const summary = held.length === 0 ? { ...folded, ...pick(queuedSummary) } : folded;
  const name = event.name ?? from.name;
  const { rows } = await within.query({
    text: `insert into runs (run_id, project, idempotency_key, body_sha256, name, labels, plan, inputs, status, summary,
        callback, created_by, priority, held, forked_from, definition)
      select $1, project, $2, $3, $4, labels, $5, inputs, $6, $7, callback, $8, priority, $9, $10,
        coalesce((select definition from messages where id = $11), definition)
      from runs where run_id = $12
      on conflict (project, idempotency_key) do update set project = runs.project
      returning ${whole}, run_id = $1 as created, body_sha256 = $3 as "sameBody"`,
    values: [
      fork.runId,
      fork.idempotencyKey,
      fork.bodySha256,
      name,
      jsonb({ ...from.plan, name }),
      summary.status,
      jsonb(summary),
      fork.createdBy,
      [...held],
      jsonb(event.from),
      fork.editedBy ?? null,
      from.runId,
    ],
  });
  return startedRun(rows[0]);
}

function pick({ status, why, remedy }: RunSummary) {
  return { status, ...(why === undefined ? {} : { why }), ...(remedy === undefined ? {} : { remedy }) };
}
