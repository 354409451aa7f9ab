import { handlersFor } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Command } from '#core/run/command.ts';
import { decideStep } from '#core/run/decide-step.ts';
import type { RunEvent } from '#core/run/event.ts';
import { keepFiles, stopped } from '#core/run/finish.ts';
import { letGo } from '#core/run/let-go.ts';
import { endOf } from '#core/run/handlers-end.ts';
import { type Handling, isBusy, type RunState, stepOf } from '#core/run/state.ts';
import { WorkspaceLock } from '#core/run/workspace-lock.ts';

/**
 * D-14: the handlers one after the other, then the stop. The limits of the run hold for none of them, only its spend for
 * agents; a cancel ends the one that runs and those that are still to come.
 */
export function handle(plan: Plan, state: RunState, handling: Handling): Command[] {
  const due = handlersFor(plan, handling.stop.kind).find(({ id }) => stepOf(state, id).phase !== 'done');
  if (due === undefined) {
    return keepFiles(plan, state) ?? [{ do: 'emit', event: stopped(plan, state, endOf(plan, state, handling)) }];
  }
  if (handling.cancelled !== null) return givenUp(state, due, handling.cancelled);
  if (state.workspace.phase !== 'open') {
    return [{ do: 'emit', event: skipped(state, due, 'The run has no workspace in which it could run.') }];
  }
  const alone = { ...plan, steps: [due] };
  const command = decideStep(alone, state, due, new WorkspaceLock(alone, state));
  return command === undefined ? [] : [asOfHandler(state, due, command)];
}

/** Nobody resumes a run that has ended: what would pause or end it fails the handler. */
function asOfHandler(state: RunState, handler: StepPlan, command: Command): Command {
  if (command.do !== 'emit') return command;
  const { event } = command;
  if (event.type === 'run.paused') return { do: 'emit', event: handlerFailed(state, handler, event.reason) };
  if (event.type === 'run.ending') return { do: 'emit', event: handlerFailed(state, handler, event.stop.reason) };
  return command;
}

export function handlerFailed(state: RunState, handler: StepPlan, reason: string): RunEvent {
  const now = stepOf(state, handler.id);
  const onStep = { at: state.now, step: handler.id, pass: now.pass };
  return { type: 'step.failed', ...onStep, ...letGo(handler, now, reason), stop: 'failed' };
}

function givenUp(state: RunState, handler: StepPlan, why: string): Command[] {
  const { busy, begun, pass } = stepOf(state, handler.id);
  if (busy !== null && !busy.cancelling) {
    return [
      { do: 'cancel', work: handler.id },
      { do: 'emit', event: { type: 'work.cancelling', at: state.now, step: handler.id, pass } },
    ];
  }
  if (isBusy(state)) return [];
  const isBegun = begun > 0 && stepOf(state, handler.id).phase !== 'idle';
  const event = isBegun ? handlerFailed(state, handler, why) : skipped(state, handler, why);
  return [{ do: 'emit', event }];
}

function skipped(state: RunState, { id }: StepPlan, reason: string): RunEvent {
  return { type: 'step.skipped', at: state.now, step: id, pass: stepOf(state, id).pass, reason };
}
