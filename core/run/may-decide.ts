import type { MessageAnswer, RunMessageOf } from '#core/contract/seat.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import { tasksOf, whyOver } from '#core/run/apply-task.ts';
import { planStep } from '#core/run/graph.ts';
import { applied, refused } from '#core/run/refusal.ts';
import { type RunState, stepOf } from '#core/run/state.ts';
import type { Decision } from '#core/task/question.ts';
import { limitsStep, type TaskState } from '#core/task/task.ts';

/** D2: the first decision wins; the same one again is the same; a different one, or one on another revision, conflicts. */
export function mayDecide(plan: Plan, state: RunState, message: RunMessageOf<'decide'>): MessageAnswer {
  const found = tasksOf(state).find(({ task }) => task.id === message.task);
  if (found === undefined) return refused('task/not-found', `There is no task ${message.task} in this run.`);
  const { step, task } = found;
  if (message.revision !== task.revision) {
    const now = `It was asked again since (revision ${task.revision}, not ${message.revision}).`;
    return refused('task/reopened', `${now} Look at it and decide anew: setpoint tasks`);
  }
  const own = ownAnswer(task, message.decision);
  if (own?.digest === message.decision.digest) return applied;
  switch (task.status) {
    case 'decided':
      return refused('task/decided', `It was decided by ${decidedBy(task)}. The first decision counts.`);
    case 'closed':
      return closed;
    case 'open':
      // Before the law has closed it: a message just before this one can have ended its pass.
      if (whyOver(state, step) !== undefined) return closed;
      return own === undefined ? mayAnswer(plan, state, { step, task }, message.decision) : answeredBefore(own);
    default:
      return unreachable(task.status);
  }
}

const closed = refused('task/closed', 'It is closed: its time ran out, its step began another pass, or the run ended.');

/** Is it the answer that was given before? Then nothing is to be applied. */
export function isSameAnswer(state: RunState, message: RunMessageOf<'decide'>): boolean {
  const found = tasksOf(state).find(({ task }) => task.id === message.task);
  return found !== undefined && ownAnswer(found.task, message.decision)?.digest === message.decision.digest;
}

/** With this answer, is the question decided? One rejection or push back is enough, approvals are counted. */
export function isFinal(task: TaskState, decision: Decision): boolean {
  if (decision.kind !== 'approve') return true;
  return task.decisions.length + 1 >= task.question.quorum;
}

function ownAnswer(task: TaskState, decision: Decision): Decision | undefined {
  return task.decisions.find(({ by }) => by === decision.by);
}

function answeredBefore({ by, kind }: Decision): MessageAnswer {
  return refused('task/already-answered', `${by} has answered (${kind}); the others are still to be heard.`);
}

function decidedBy(task: TaskState): string {
  const last = task.decisions.at(-1);
  return last === undefined ? 'nobody' : `${last.by} (${last.kind})`;
}

function mayAnswer(
  plan: Plan,
  state: RunState,
  { step, task }: { step: string; task: TaskState },
  { kind, to }: Decision,
): MessageAnswer {
  if (kind !== 'push_back' || step === limitsStep) return applied;
  const { backTo } = task.question;
  const planned = planStep(plan, step);
  const target = to ?? planned.loop?.to;
  if (target === undefined || !backTo.includes(target)) {
    const named =
      to === undefined ? 'The plan says no step that a push back goes to.' : `It cannot go back to "${to}".`;
    const remedy = backTo.length === 0 ? 'Approve or reject it.' : `Name one of: ${backTo.join(', ')} (--to STEP).`;
    return refused('task/no-way-back', `${named} ${remedy}`);
  }
  const limit = planned.work.kind === 'person' ? planned.work.pushBackLimit : null;
  if (limit === null || stepOf(state, step).pushBacks < limit) return applied;
  return refused(
    'task/push-backs-spent',
    `Work was sent back ${limit} times, which is the limit of the plan. Approve or reject it, or raise the limit: setpoint raise ${state.runId} --passes ${limit + 2}`,
  );
}
