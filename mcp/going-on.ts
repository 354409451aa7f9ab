import type { RunMessageOf, RunMessage } from '#core/contract/seat.ts';
import type { Plan } from '#core/plan/plan.ts';
import { raisedPlan } from '#core/plan/raise.ts';
import { may } from '#core/run/may.ts';

import type { RunShown } from '#client/schema.ts';

import { refusalProblem } from '#mcp/refusal.ts';
import { foldedRun, listedRun, spendBound } from '#mcp/run-told.ts';
import type { Session } from '#mcp/session.ts';

/** What a tool that steers answers. */
export function runAfter(run: RunShown): object {
  return { run: listedRun(run) };
}

/** What lets a run go on. */
export type GoingOn = Unsent<'resume'> | Unsent<'raise'> | Unsent<'retry'> | Unsent<'pushBack'> | Unsent<'edit'>;
type Unsent<K extends RunMessage['kind']> = Omit<RunMessageOf<K>, 'id' | 'by'>;

/**
 * The run that would go on, and what bounds it then; or the refusal that the law would give by now (E3), before anything
 * is asked.
 */
export async function goingOn(session: Session, runId: string, message: GoingOn): Promise<object> {
  const { run, state, plan } = await foldedRun(session.client, runId);
  const answer = may(run.plan, state, { ...message, id: 'preview', by: await session.who() });
  const doubt = answer.kind === 'refused' && isOfText(answer.code) ? { mayBeRefused: answer.message } : {};
  if (answer.kind === 'refused' && !isOfText(answer.code)) throw refusalProblem(answer, runId);
  return { run: listedRun(run), ...doubt, ...bounds(planAfter(plan, message)) };
}

/** What was said beside the definition at the start (its agent, its delivery) is known to the server alone: it judges the text. */
function isOfText(code: string): boolean {
  return code === 'edit/not-allowed' || code === 'edit/unchanged';
}

function planAfter(plan: Plan, message: GoingOn): Plan {
  if (message.kind === 'edit') return message.plan;
  return message.kind === 'raise' ? raisedPlan(plan, message.limits) : plan;
}

function bounds({ limits, steps }: Plan): object {
  const loops = steps.flatMap(({ id, loop }) => (loop === undefined ? [] : [{ step: id, limit: loop.limit }]));
  return { limits, loops, spendsAtMost: spendBound(limits) };
}
