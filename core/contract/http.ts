import { z } from 'zod';

import { ProjectName } from '#core/contract/library.ts';
import { Examination } from '#core/doctor/finding.ts';
import { Issue } from '#core/issue/issue.ts';
import { Callback } from '#core/notify/channel.ts';
import { Plan } from '#core/plan/plan.ts';
import { ParentRef, RunEvent } from '#core/run/event.ts';
import { RunSummary } from '#core/run/summary.ts';

/** Shapes of the HTTP API (docs/guide/http-api.md), parsed at both ends: the API and its clients share them. */

/** `POST /v1/runs` and `POST /v1/plans`: exactly one of `definition` (an object), `source` (text of a file) and `name`. */
export const StartRun = z.strictObject({
  definition: z.record(z.string(), z.unknown()).optional(),
  source: z.string().optional(),
  /** Of a stored definition, in its newest version unless `version` says another; of the project `project`. */
  name: z.string().optional(),
  version: z.number().int().min(1).optional(),
  /** Name of the file that `source` came from, for messages. */
  file: z.string().optional(),
  dialect: z.string().optional(),
  inputs: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  project: ProjectName.optional(),
  labels: z.array(z.string()).optional(),
  /** Of its work among that of other runs: 1 is the most urgent, 5 the least; default 3. */
  priority: z.number().int().min(1).max(5).optional(),
  /** Called when the run ends (docs/guide/notifications.md), in place of the definition's own. */
  callback: Callback.optional(),
  /** Overrides that the command line offers: agent, delivery, worktree, the folder that `repo: .` means. */
  overrides: z
    .strictObject({
      agent: z.string().optional(),
      deliver: z.enum(['none', 'commit', 'branch', 'pr', 'merge']).optional(),
      worktree: z.boolean().optional(),
      repo: z.string().optional(),
    })
    .optional(),
});
export type StartRun = z.infer<typeof StartRun>;

/** A pass of a step of a run. */
export const ForkPlace = z.object({ runId: z.string(), step: z.string(), pass: z.number().int() });
export type ForkPlace = z.infer<typeof ForkPlace>;

/** A run as lists show it. Times are ISO 8601. */
export const RunListed = z.object({
  runId: z.string(),
  name: z.string(),
  project: z.string(),
  labels: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Name of the person who started it. */
  createdBy: z.string().optional(),
  /** Of a child run: its place in the run that started it. */
  parent: ParentRef.optional(),
  /** The run and the pass that it was forked from (E8). */
  forkedFrom: ForkPlace.optional(),
  /** 1 is the most urgent, 5 the least. */
  priority: z.number().int().optional(),
  summary: RunSummary,
});
export type RunListed = z.infer<typeof RunListed>;

/** `POST /v1/runs`: the run as it begins, with what the definition is warned about. */
export const RunStarted = RunListed.extend({ warnings: z.array(Issue) });
export type RunStarted = z.infer<typeof RunStarted>;

/** `GET /v1/runs/{id}`: the fold of its events, with why it does not move and what clears it (E2). */
export const RunShown = RunListed.extend({
  /** Its child runs, the newest 1,000, in the order in which they were started. */
  children: z.array(RunListed).optional(),
  plan: Plan,
  inputs: z.record(z.string(), z.string()),
  /** The state as `apply` folds it; clients that need more than the summary parse it with `RunState`. */
  state: z.unknown(),
  /** The cursor to stream events from (E9). */
  cursor: z.number().int(),
  /** The runs that were forked from it, each with the pass of this one. */
  forks: z.array(ForkPlace).optional(),
});
export type RunShown = z.infer<typeof RunShown>;

export const RunList = z.object({ runs: z.array(RunListed), cursor: z.string().optional() });
export type RunList = z.infer<typeof RunList>;

export const EventPage = z.object({
  events: z.array(z.object({ seq: z.number().int(), event: RunEvent })),
  /** True when the last event of the run is on this page. */
  ended: z.boolean(),
});
export type EventPage = z.infer<typeof EventPage>;

/** `POST /v1/plans`: the plan, and what the doctor says about its loops (E-20); paths are those of the document. */
export const PlanShown = z.object({ plan: Plan, warnings: z.array(Issue), ...Examination.shape });
export type PlanShown = z.infer<typeof PlanShown>;

/** Errors are `application/problem+json`; `code` is a page in docs/errors. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  remedy: z.string().optional(),
  issues: z.array(Issue).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** The last line of `--json` (docs/guide/scripts.md). */
export const RunOutcome = z.object({
  runId: z.string(),
  status: z.string(),
  stop: z.string().nullable(),
  passes: z.number().int(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  pullRequest: z.string().nullable(),
  spend: z.number(),
  delivery: z.string().nullable(),
  /** The open task that it waits for; only then. */
  task: z.string().optional(),
});
export type RunOutcome = z.infer<typeof RunOutcome>;
