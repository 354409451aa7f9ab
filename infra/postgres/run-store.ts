import { z } from 'zod';
import { Plan } from '#core/plan/plan.ts';
import type { RunSummary } from '#core/run/summary.ts';
import { RunListed } from '#core/contract/http.ts';
import type { Callback } from '#core/notify/channel.ts';
import type { ParentRef } from '#core/run/event.ts';
import type { RunDefinition } from '#core/contract/steer.ts';
import type { Database, Queries } from '#infra/postgres/database.ts';
import { createEventStore, type EventStore, type Telling } from '#infra/postgres/event-store.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';
import { heldSources } from '#infra/postgres/source-store.ts';

/** A run as it is stored: what it was started with, which seat carries it, and the summary of its record. */
export const RunRow = RunListed.extend({
  plan: Plan,
  inputs: z.record(z.string(), z.string()),
  seat: z.number().int(),
  /** Of its work among that of other runs: 1 is the most urgent, 5 the least. */
  priority: z.number().int(),
  /** Its sources that were off when it was started (E-19). */
  held: z.array(z.string()),
});
export type RunRow = z.infer<typeof RunRow>;

export interface NewRun {
  runId: string;
  idempotencyKey?: string;
  /** Of the request in canonical form: the same key with another body is a conflict. */
  bodySha256: string;
  plan: Plan;
  inputs: Record<string, string>;
  /** Name of the person who starts it. */
  createdBy?: string;
  /** Whom the run calls when it ends, in place of the plan's own. */
  callback?: Callback;
  /** Of a child run: its place in the run that starts it. */
  parent?: ParentRef;
  /** 1 is the most urgent, 5 the least; default 3. */
  priority?: number;
  /** What the plan was compiled from. */
  definition?: RunDefinition;
}

export type StartedRun = { kind: 'created' | 'same'; run: RunRow } | { kind: 'conflict'; runId: string };

/** Every filter that is given must hold. */
export interface RunFilter {
  /** A status (`running`) or the kind of a stop (`exhausted`). */
  status?: string;
  project?: string;
  label?: string;
  /** Whose child runs. */
  parent?: string;
  /** Part of the name, or the beginning of a run id. */
  text?: string;
}

/** A page of a list, newest first. */
export interface RunPage {
  filter: RunFilter;
  /** The last run id of the page before. */
  before?: string;
  limit: number;
}

/** Which seat a caller believes to be the run's, and in which condition the run must be for the next one. */
export interface SeatClaim {
  runId: string;
  seat: number;
  /** `ended` for the retry of a closed run, `open` when its seat was lost. */
  run: 'open' | 'ended';
  /** The message that the new seat carries. */
  messageId?: string;
}

export interface RunStore extends EventStore {
  /** Stores a new run, or finds the one of the same project and key (D2, E5). One statement. */
  start(run: NewRun): Promise<StartedRun>;
  find(runId: string): Promise<RunRow | undefined>;
  list(page: RunPage): Promise<RunListed[]>;
  /** Takes the next seat of a run (decision 13); undefined when another was quicker or the run's condition differs. */
  claimNextSeat(claim: SeatClaim): Promise<number | undefined>;
  /**
   * Open runs that nothing was recorded of for a while, each to one sweeper; the longest unasked first. Without those whose
   * seat was claimed for a message that is still pending: sending that one starts the seat.
   */
  takeQuiet(limit: number): Promise<RunRow[]>;
  /**
   * Child runs that are open though their parent has ended and never heard of them: it died while it started them. One that
   * somebody took up again after it had ended is none.
   */
  orphans(limit: number): Promise<{ runId: string; parentId: string }[]>;
  /** How many runs are in each status. */
  countByStatus(): Promise<Record<string, number>>;
}

const listed = `run_id as "runId", project, name, labels, created_at as "createdAt", updated_at as "updatedAt",
  created_by as "createdBy", parent, forked_from as "forkedFrom", priority, summary`;
/** The columns of a `RunRow`. */
export const whole = `${listed}, plan, inputs, seat, held`;

/** Runs, their seats and their events, of which `telling` makes notifications. Faults of every call: `store/unavailable`. */
export function createRunStore(database: Database, telling?: Telling): RunStore {
  return {
    ...createEventStore(database, telling),
    start: (run) => startRun(database, run),
    async find(runId) {
      const answer = await database.query({
        name: 'find-run',
        text: `select ${whole} from runs where run_id = $1`,
        values: [runId],
      });
      return answer.rows.map((row) => RunRow.parse(told(row)))[0];
    },
    list: (page) => listRuns(database, page),
    claimNextSeat: (claim) => claimNextSeat(database, claim),
    takeQuiet: (limit) => takeQuiet(database, limit),
    orphans: (limit) => orphans(database, limit),
    async countByStatus() {
      const answer = await database.query({
        text: `select status, count(*)::int as runs from runs group by status`,
        values: [],
      });
      return Object.fromEntries(answer.rows.map((row) => [String(row['status']), Number(row['runs'])]));
    },
  };
}

/** What is not known of a run, such as who started one from before people had names, is left out. */
function told(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

async function startRun(database: Database, run: NewRun): Promise<StartedRun> {
  const { labels } = run.plan;
  if (labels.length === 0) return insertRun(database, run, []);
  return database.transaction(async (within) => insertRun(within, run, await heldSources(within, labels)));
}

async function insertRun(queries: Queries, run: NewRun, held: readonly string[]): Promise<StartedRun> {
  // An update that changes nothing returns the row that is there, also one that a call at the same moment commits.
  const { rows } = await queries.query({
    name: 'start-run',
    text: `insert into runs (run_id, project, idempotency_key, body_sha256, name, labels, plan, inputs, status, summary,
        callback, created_by, priority, held, definition, parent)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      on conflict (project, idempotency_key) do update set project = runs.project
      returning ${whole}, run_id = $1 as created, body_sha256 = $4 as "sameBody"`,
    values: [
      run.runId,
      run.plan.project,
      run.idempotencyKey ?? null,
      run.bodySha256,
      run.plan.name,
      run.plan.labels,
      jsonb(run.plan),
      jsonb(run.inputs),
      queuedSummary.status,
      jsonb(queuedSummary),
      jsonb(run.callback ?? run.plan.callback),
      run.createdBy ?? null,
      run.priority ?? defaultPriority,
      [...held],
      jsonb(run.definition),
      jsonb(run.parent),
    ],
  });
  return startedRun(rows[0]);
}

const defaultPriority = 3;

/** A row that was inserted, or found under the key of another request. */
export function startedRun(row: Record<string, unknown> | undefined): StartedRun {
  const read = RunRow.extend({ created: z.boolean(), sameBody: z.boolean() }).parse(told(row ?? {}));
  const { created, sameBody, ...stored } = read;
  if (created) return { kind: 'created', run: stored };
  return sameBody ? { kind: 'same', run: stored } : { kind: 'conflict', runId: stored.runId };
}

/** Before its workflow has recorded anything. */
export const queuedSummary: RunSummary = {
  status: 'queued',
  why: 'It waits for a control worker to take it up.',
  remedy: 'setpoint status',
  passes: 0,
  spendUsd: 0,
  seq: 0,
};

async function listRuns(database: Database, { filter, before, limit }: RunPage): Promise<RunListed[]> {
  const { rows } = await database.query({
    text: `select ${listed} from runs
      where ($1::text is null or run_id < $1)
        and ($2::text is null or status = $2 or summary -> 'stop' ->> 'kind' = $2)
        and ($3::text is null or project = $3)
        and ($4::text is null or $4 = any (labels))
        and ($5::text is null or position(lower($5) in lower(name)) > 0 or starts_with(run_id, $5))
        and ($6::text is null or parent ->> 'runId' = $6)
      order by run_id desc limit $7`,
    values: [
      before ?? null,
      filter.status ?? null,
      filter.project ?? null,
      filter.label ?? null,
      filter.text ?? null,
      filter.parent ?? null,
      limit,
    ],
  });
  return rows.map((row) => RunListed.parse(told(row)));
}

async function claimNextSeat(database: Database, claim: SeatClaim): Promise<number | undefined> {
  const { rows } = await database.query({
    text: `with claimed as (
        update runs set seat = seat + 1, updated_at = now(),
          status = case when $3 then 'queued' else status end,
          summary = case when $3 then (summary - 'stop') || $5 else summary end
        where run_id = $1 and seat = $2 and (status = 'ended') = $3 returning seat
      ), carried as (
        update messages set seat = claimed.seat from claimed where id = $4
      )
      select seat from claimed`,
    values: [claim.runId, claim.seat, claim.run === 'ended', claim.messageId ?? null, jsonb(queuedAgain)],
  });
  return rows[0] === undefined ? undefined : Number(rows[0]['seat']);
}

/** Whoever follows a run that is being retried must not take its old end for the new one. */
const queuedAgain: Partial<RunSummary> = {
  status: 'queued',
  why: 'It is being retried and waits for a control worker to take it up.',
  remedy: 'setpoint status',
};

/** The longer a run has stood still, the more seldom it is asked about: thousands that wait for people cost nothing. */
async function takeQuiet(database: Database, limit: number): Promise<RunRow[]> {
  const { rows } = await database.query({
    text: `update runs set swept_at = now()
      where run_id in (
        select run_id from runs
        where status <> 'ended' and updated_at < now() - interval '2 s'
          and (swept_at is null
            or swept_at < now() - greatest(interval '10 s', least(interval '1 h', (now() - updated_at) / 10)))
          and not exists (
            select from messages m where m.run_id = runs.run_id and m.seat = runs.seat and m.status = 'pending'
          )
        order by swept_at nulls first limit $1 for update skip locked
      )
      returning ${whole}`,
    values: [limit],
  });
  return rows.map((row) => RunRow.parse(told(row)));
}

async function orphans(database: Database, limit: number): Promise<{ runId: string; parentId: string }[]> {
  const { rows } = await database.query({
    text: `select child.run_id as "runId", parent.run_id as "parentId"
      from runs child join runs parent on parent.run_id = child.parent ->> 'runId'
      where child.status <> 'ended' and child.parent is not null and parent.status = 'ended'
        and not exists (
          select from messages m
          where m.run_id = parent.run_id and m.kind = 'childSettled' and m.body ->> 'runId' = child.run_id
        )
      limit $1`,
    values: [limit],
  });
  return rows.map((row) => Orphan.parse(row));
}

const Orphan = z.object({ runId: z.string(), parentId: z.string() });
