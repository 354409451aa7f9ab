import type { MessageAnswer, RunMessage } from '#core/contract/seat.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import { mayDecide } from '#core/run/may-decide.ts';
import { mayCancel, mayEdit, mayPause, mayPushBack, mayRaise, mayResume, mayRetry } from '#core/run/may-steer.ts';
import { planNow } from '#core/run/plan-now.ts';
import { applied, refused } from '#core/run/refusal.ts';
import type { RunState } from '#core/run/state.ts';

/**
 * Whether a message is allowed now; a refusal names the remedy. Asked by the API first and judged by the workflow.
 * `original` is the plan that the run was started with.
 */
export function may(original: Plan, state: RunState, message: RunMessage): MessageAnswer {
  if (state.messages.includes(message.id)) return applied;
  const plan = planNow(original, state);
  switch (message.kind) {
    case 'cancel':
      return mayCancel(state);
    case 'retry':
      return mayRetry(plan, state, message);
    case 'pause':
      return mayPause(state);
    case 'resume':
      return mayResume(plan, state);
    case 'raise':
      return mayRaise(plan, state, message.limits);
    case 'edit':
      return mayEdit(state.plan ?? original, state, message.plan);
    case 'pushBack':
      return mayPushBack(plan, state, message.step);
    case 'decide':
      return mayDecide(plan, state, message);
    case 'hold':
    case 'release':
    case 'childSettled':
      return state.stop === null ? applied : refused('run/ended', 'The run has ended.');
    default:
      return unreachable(message);
  }
}
