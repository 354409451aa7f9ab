import { unreachable } from '#core/exhaustive.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Command } from '#core/run/command.ts';
import { afterAttempt, crashed } from '#core/run/decide-attempt.ts';
import { decidePass } from '#core/run/decide-pass.ts';
import { guardsFiles } from '#core/run/finish.ts';
import { spendExceeded } from '#core/run/limits.ts';
import { errorRetries, pause } from '#core/run/pause.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import { workspaceFree } from '#core/run/workspace-lock.ts';

/** What is due for one step now (A1's order); `undefined` while it waits, runs or is done. */
export function decideStep(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const command = due(plan, state, step);
  if (command === undefined || !needsWorkspace(command, step)) return command;
  return workspaceFree(plan, state, step.id) ? command : undefined;
}

/** Decision 14: a reader attempts on its own checkout; everything else in the world needs the workspace. */
function needsWorkspace(command: Command, step: StepPlan): boolean {
  switch (command.do) {
    case 'attempt':
      return !step.readOnly;
    case 'evaluate':
    case 'judge':
      return true;
    case 'emit':
    case 'cancel':
    case 'recover':
    case 'openWorkspace':
    case 'baseline':
    case 'deliver':
      return false;
    default:
      return unreachable(command);
  }
}

function due(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  if (now.busy !== null) return undefined;
  switch (now.phase) {
    case 'idle':
      return begin(plan, state, step);
    case 'cleared':
      return attempt(plan, state, step);
    case 'resumable':
      if (isEarly(state, now)) return undefined;
      return { do: 'attempt', step: step.id, pass: now.pass, attempt: now.attempt };
    case 'interrupted':
      return { do: 'recover', step: step.id, pass: now.pass, attempt: now.attempt };
    case 'lost':
      return crashed(state, step, now.reason ?? 'The attempt was interrupted.');
    case 'attempted':
      return attempted(plan, state, step);
    case 'judged':
      return decidePass(plan, state, step);
    case 'done':
      return undefined;
    default:
      return unreachable(now.phase);
  }
}

function attempted(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const command = afterAttempt(state, step);
  if (command !== undefined) return command;
  if (!checksDue(plan, step)) return decidePass(plan, state, step);
  return judge(state, step);
}

export function checksDue(plan: Plan, step: StepPlan): boolean {
  return step.checks.length > 0 || guardsFiles(plan, step.id);
}

/** A4: work behind a dirty exit is judged too, so that the next pass hears everything. */
function judge(state: RunState, step: StepPlan): Command {
  const now = stepOf(state, step.id);
  const checks = step.checks.map(({ name }) => name);
  return { do: 'judge', step: step.id, pass: now.pass, round: now.round + 1, checks };
}

function begin(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  if (!step.after.every((id) => isPast(stepOf(state, id))) || isEarly(state, now)) return undefined;
  if (step.when === undefined) return attempt(plan, state, step);
  if (now.when === null || (now.when.kind === 'error' && now.conditionErrors <= errorRetries)) {
    return { do: 'evaluate', step: step.id, pass: now.pass, purpose: 'when' };
  }
  return { do: 'emit', event: unmet(state, step, now) };
}

/** A8: unmet skips the step or ends the run; an error is neither. */
function unmet(state: RunState, step: StepPlan, now: StepState) {
  const onStep = { at: state.now, step: step.id, pass: now.pass };
  if (now.when?.kind === 'error') {
    if (step.when?.onError === 'pause') {
      const why = `The condition before step "${step.name}" could not be judged: ${now.when.reason}`;
      return pause(state, 'condition_error', why, 'Mend the condition or what it needs, then retry the run.');
    }
    const reason = `Its condition could not be judged: ${now.when.reason}`;
    return {
      type: 'step.failed' as const,
      ...onStep,
      reason,
      continued: step.continueOnError,
      stop: 'failed' as const,
    };
  }
  const reason = `Its condition is not met (${now.when?.actual ?? ''}).`;
  if (step.when?.onUnmet === 'stop') {
    return { type: 'step.failed' as const, ...onStep, reason, continued: false, stop: 'failed' as const };
  }
  return { type: 'step.skipped' as const, ...onStep, reason };
}

function attempt(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  if (isEarly(state, now)) return undefined;
  const broke = step.work.kind === 'agent' ? spendExceeded(plan, state) : undefined;
  if (broke !== undefined) return { do: 'emit', event: broke };
  return { do: 'attempt', step: step.id, pass: now.pass, attempt: now.attempt + 1 };
}

/** Dependents run after a step that succeeded, was skipped, or failed and was continued (A8). */
function isPast(step: StepState): boolean {
  return step.phase === 'done' && (step.outcome !== 'failed' || step.continued);
}

function isEarly(state: RunState, step: StepState): boolean {
  return step.notBefore !== null && step.notBefore > state.now;
}
