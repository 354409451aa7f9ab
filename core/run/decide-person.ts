import { durationText } from '#core/plan/amounts.ts';
import type { Plan, PersonPlan, StepPlan } from '#core/plan/plan.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Command } from '#core/run/command.ts';
import { exhausted, failed, fireLoop, succeeded } from '#core/run/decide-loop.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import type { Decision } from '#core/task/question.ts';
import { type TaskState, taskId } from '#core/task/task.ts';
import { taskTimes } from '#core/task/times.ts';

/** Asks: the question's text and what it shows are frozen first (D1). */
export function openTask(state: RunState, step: StepPlan): Command {
  const { pass, task } = stepOf(state, step.id);
  const id = taskId(state.runId, step.id);
  return { do: 'openTask', step: step.id, pass, task: id, revision: (task?.revision ?? 0) + 1 };
}

/** What a question leads to: nothing while it is open, then what was decided, or its expiry (D2–D5). */
export function decidePerson(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  const { task } = now;
  const { work } = step;
  if (task === null || work.kind !== 'person') return undefined;
  switch (task.status) {
    case 'open':
      return timed(state, step, work, task);
    case 'closed':
      return expired(state, step, work);
    case 'decided':
      return decided(plan, state, step, task);
    default:
      return unreachable(task.status);
  }
}

function timed(state: RunState, step: StepPlan, person: PersonPlan, task: TaskState): Command | undefined {
  const due = taskTimes(person, task).find(({ at }) => at <= state.now);
  if (due === undefined) return undefined;
  const { pass } = stepOf(state, step.id);
  const onTask = { at: state.now, step: step.id, pass, task: task.id, revision: task.revision };
  switch (due.what) {
    case 'remind':
      return { do: 'emit', event: { type: 'task.reminded', ...onTask, count: remindersBy(state, person, task) } };
    case 'escalate':
      return { do: 'emit', event: { type: 'task.escalated', ...onTask, to: person.escalate?.to ?? [] } };
    case 'expire':
      return { do: 'emit', event: { type: 'task.expired', ...onTask } };
    default:
      return unreachable(due);
  }
}

/** One reminder makes up for all that fell due while nobody could send them. */
function remindersBy({ now }: RunState, { remindSeconds = 1 }: PersonPlan, { openedAt }: TaskState): number {
  return Math.floor((now - openedAt) / (remindSeconds * 1000));
}

/** D5: expiry is not a rejection: no loop fires for it. */
function expired(state: RunState, step: StepPlan, person: PersonPlan): Command {
  const onStep = { at: state.now, step: step.id, pass: stepOf(state, step.id).pass };
  const reason = `Nobody decided within ${durationText(person.time?.limitSeconds ?? 0)}.`;
  if (person.time?.onExpiry === 'skip') return { do: 'emit', event: { type: 'step.skipped', ...onStep, reason } };
  return { do: 'emit', event: failed(state, step, reason, 'timed_out') };
}

function decided(plan: Plan, state: RunState, step: StepPlan, task: TaskState): Command {
  const decision = task.decisions.at(-1);
  if (decision === undefined) throw new TypeError(`task ${task.id} was decided by nobody`);
  const now = stepOf(state, step.id);
  switch (decision.kind) {
    case 'approve': {
      const by = task.decisions.map((given) => given.by).join(', ');
      return { do: 'emit', event: succeeded(state, step, `Approved by ${by}.`) };
    }
    case 'push_back':
      return sentBack(plan, state, step, decision);
    case 'reject':
      return rejected(plan, state, step, now);
    default:
      return unreachable(decision.kind);
  }
}

/** D3: a loop back without a limit of its own. */
function sentBack(plan: Plan, state: RunState, step: StepPlan, decision: Decision): Command {
  const { loop } = step;
  const to = decision.to ?? loop?.to ?? step.id;
  const count = stepOf(state, step.id).pushBacks + 1;
  const limit = step.work.kind === 'person' ? step.work.pushBackLimit : null;
  const event = fireLoop(plan, state, step, { to, count, limit, inFlight: loop?.inFlight ?? 'cancel' });
  const message = `↺ ${decision.by} pushed back "${step.name}": looping back to "${to}"`;
  return { do: 'emit', event: { ...event, message, pushBack: true } };
}

/** D4: with a loop the comment goes back, as often as the loop allows; else the run is rejected. */
function rejected(plan: Plan, state: RunState, step: StepPlan, now: StepState): Command {
  const { loop } = step;
  const said = rejection(now);
  if (loop === undefined || loop.on === 'pass') return { do: 'emit', event: failed(state, step, said, 'rejected') };
  if (loop.limit !== null && now.loops >= loop.limit) {
    const event = exhausted(state, step, loop, said);
    return { do: 'emit', event: event.type === 'step.failed' ? { ...event, stop: 'rejected' } : event };
  }
  const { to, limit, inFlight } = loop;
  return { do: 'emit', event: fireLoop(plan, state, step, { to, limit, inFlight, count: now.loops + 1 }) };
}

function rejection({ task }: StepState): string {
  const decision = task?.decisions.at(-1);
  const comment = decision?.comment ?? '';
  return `Rejected by ${decision?.by ?? 'nobody'}${comment === '' ? '.' : `: ${comment}`}`;
}
