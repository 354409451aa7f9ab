import type { RunMessage, RunMessageOf } from '#core/contract/seat.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import { tasksOf } from '#core/run/apply-task.ts';
import type { RunEvent } from '#core/run/event.ts';
import { withDownstream } from '#core/run/graph.ts';
import { isFinal, isSameAnswer } from '#core/run/may-decide.ts';
import { pausedBy } from '#core/run/pause.ts';
import { planNow } from '#core/run/plan-now.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

/** The event of an allowed message; `undefined` when it changes nothing, or was applied before (D2). */
// One message with all that it rests on.
// oxlint-disable-next-line max-params
export function eventOf(original: Plan, state: RunState, message: RunMessage, at: number): RunEvent | undefined {
  if (state.messages.includes(message.id)) return undefined;
  const plan = planNow(original, state);
  const sent = { at, messageId: message.id, ...(message.by === undefined ? {} : { by: message.by }) };
  switch (message.kind) {
    case 'cancel':
      return { type: 'run.cancelling', ...sent, reason: message.reason };
    case 'retry': {
      const { from, only } = message;
      const reset = [...(from === undefined ? [] : withDownstream(plan, from)), ...(only === undefined ? [] : [only])];
      return { type: 'run.retried', ...sent, ...(reset.length === 0 ? {} : { reset }) };
    }
    case 'pause':
      return { ...pausedBy(state, message.by, message.reason), ...sent };
    case 'resume':
      return { type: 'run.resumed', ...sent, ...(message.reason === undefined ? {} : { reason: message.reason }) };
    case 'raise':
      return { type: 'run.raised', ...sent, limits: message.limits };
    case 'edit':
      return { type: 'run.edited', ...sent, revision: state.revision + 1, plan: message.plan };
    case 'pushBack': {
      const { pass } = stepOf(state, message.step);
      const onStep = { step: message.step, pass, reset: withDownstream(plan, message.step) };
      return { type: 'step.pushed_back', ...sent, ...onStep, remark: message.remark };
    }
    case 'decide':
      return isSameAnswer(state, message) ? undefined : decided(state, message, at);
    case 'hold':
    case 'release':
      return switched(state, message, at);
    case 'childSettled': {
      const { step, pass, index, runId, stop, toParent } = message;
      return { type: 'child.settled', at, messageId: message.id, step, pass, index, runId, stop, toParent };
    }
    default:
      return unreachable(message);
  }
}

/** E-19: of a source that was switched again meanwhile, an older switch is no news. */
function switched(
  state: RunState,
  message: Extract<RunMessage, { kind: 'hold' | 'release' }>,
  at: number,
): RunEvent | undefined {
  const { id: messageId, kind, source, switched: count } = message;
  const isLate = count !== undefined && count < (state.switches[source] ?? 0);
  const isHeld = state.held.includes(source);
  // A switch that changes nothing is remembered all the same: the one before it may come later.
  const isKnown = count === undefined || count === state.switches[source];
  if (isLate || (isKnown && isHeld === (kind === 'hold'))) return undefined;
  const type = kind === 'hold' ? ('run.held' as const) : ('run.released' as const);
  return { type, at, messageId, source, ...(count === undefined ? {} : { switched: count }) };
}

function decided(state: RunState, message: RunMessageOf<'decide'>, at: number): RunEvent {
  const found = tasksOf(state).find(({ task }) => task.id === message.task);
  if (found === undefined) throw new TypeError(`there is no task ${message.task}: it was judged before`);
  const { step, task } = found;
  const { decision } = message;
  const onTask = { step, pass: state.steps[step]?.pass ?? 0, task: task.id, revision: task.revision };
  return { type: 'task.decided', at, ...onTask, messageId: message.id, decision, final: isFinal(task, decision) };
}
