import { EventPage, type RunListed, RunShown } from '#core/contract/http.ts';
import { explainPlan } from '#core/plan/explain.ts';
import type { LimitsPlan, Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import { planNow } from '#core/run/plan-now.ts';
import type { RunState } from '#core/run/state.ts';

import type { RunListed as ListedAnswer, RunShown as ShownAnswer } from '#client/schema.ts';
import type { SetpointClient } from '#client/setpoint-client.ts';

import { answerAs } from '#mcp/answer-as.ts';
import { linesOf } from '#mcp/cut.ts';

/** A run as lists tell it: what stands in its summary beside its names. */
export function listedRun({ summary, ...run }: RunListed | ListedAnswer | ShownAnswer): object {
  const { runId, name, project, labels, createdAt, updatedAt, createdBy, parent, forkedFrom } = run;
  return { runId, name, project, labels, createdAt, updatedAt, createdBy, parent, forkedFrom, ...summary };
}

export async function readRun(client: SetpointClient, runId: string, waitSeconds = 0): Promise<RunShown> {
  const query = waitSeconds === 0 ? {} : { wait: `${waitSeconds}s` };
  return answerAs(await client.showRun(runId, { query }), RunShown);
}

/** Without its plan and its state, which are long: what they come to. */
export function shownRun(run: RunShown): object {
  const { plan, inputs, children = [], forks = [] } = run;
  const steps = plan.steps.map(({ id, work }) => ({ id, kind: work.kind }));
  return { ...listedRun(run), inputs, steps, limits: plan.limits, children: children.map(listedRun), forks };
}

/** A run with its record, folded by the law itself. */
export interface FoldedRun {
  run: RunShown;
  stored: StoredEvent[];
  events: RunEvent[];
  state: RunState;
  /** With the edits and raises that count by now. */
  plan: Plan;
}

export async function foldedRun(client: SetpointClient, runId: string): Promise<FoldedRun> {
  const [run, stored] = await Promise.all([readRun(client, runId), everyEvent(client, runId)]);
  const events = stored.map(({ event }) => event);
  const state = fold(run.plan, events);
  return { run, stored, events, state, plan: planNow(run.plan, state) };
}

async function everyEvent(client: SetpointClient, runId: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after = 0; ;) {
    const page = answerAs(await client.listEvents(runId, { query: { after } }), EventPage);
    events.push(...page.events);
    after = page.events.at(-1)?.seq ?? after;
    if (page.ended || page.events.length === 0) return events;
  }
}

/** What would run, for whoever agrees to it. */
export function planTold(plan: Plan): object {
  return {
    name: plan.name,
    project: plan.project,
    plan: linesOf(explainPlan(plan)),
    limits: plan.limits,
    spendsAtMost: spendBound(plan.limits),
    delivery: plan.deliver,
  };
}

/** The bound of what a run spends on models, in one sentence. */
export function spendBound({ spendUsd }: LimitsPlan): string {
  return spendUsd === undefined ? 'no limit: only its passes and its time bound what it spends' : `${spendUsd} USD`;
}
