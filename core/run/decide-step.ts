import { unreachable } from '#core/exhaustive.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Command } from '#core/run/command.ts';
import { afterAttempt, crashed } from '#core/run/decide-attempt.ts';
import { beginCall, decideCall } from '#core/run/decide-call.ts';
import { decidePass } from '#core/run/decide-pass.ts';
import { decidePerson, openTask } from '#core/run/decide-person.ts';
import type { RunEvent } from '#core/run/event.ts';
import { guardsFiles } from '#core/run/finish.ts';
import { letGo, marked } from '#core/run/let-go.ts';
import { spendExceeded } from '#core/run/limits.ts';
import { errorRetries, pause, resumeAfter } from '#core/run/pause.ts';
import type { PauseCode } from '#core/run/run-codes.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import { skippedAlong } from '#core/run/skips.ts';
import { isWriter, type WorkspaceLock } from '#core/run/workspace-lock.ts';

/** What is due for one step now (A1's order); `undefined` while it waits, runs or is done. */
// One step with all that it rests on.
// oxlint-disable-next-line max-params
export function decideStep(plan: Plan, state: RunState, step: StepPlan, lock: WorkspaceLock): Command | undefined {
  const command = withMark(step, due(plan, state, step));
  if (command === undefined || !needsWorkspace(command, step)) return command;
  return lock.isFreeFor(step.id) ? command : undefined;
}

function withMark(step: StepPlan, command: Command | undefined): Command | undefined {
  return command?.do === 'emit' ? { do: 'emit', event: marked(step, command.event) } : command;
}

/** Once it has begun, does this work hold the workspace? */
export function takesWorkspace(command: Command, step: StepPlan): boolean {
  return isWriter(step) || command.do === 'evaluate' || command.do === 'judge' || command.do === 'review';
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
    case 'review':
    case 'openTask':
    case 'expand':
    case 'startChild':
    case 'collect':
    case 'cancelChild':
    case 'keepFiles':
    case 'deliver':
      return false;
    default:
      return unreachable(command);
  }
}

/**
 * E3, E-19: while a run is being paused, or a source of it is off, what has begun goes on to its verdict and no new pass
 * begins.
 */
export function beginsPass(command: Command): boolean {
  switch (command.do) {
    case 'attempt':
    case 'openTask':
    case 'expand':
    case 'startChild':
    case 'openWorkspace':
    case 'baseline':
    case 'deliver':
      return true;
    case 'evaluate':
      return command.purpose === 'when';
    case 'emit':
      return command.event.type === 'call.begun' || isOverBudget(command.event);
    case 'cancel':
    case 'recover':
    case 'judge':
    case 'review':
    case 'collect':
    case 'cancelChild':
    case 'keepFiles':
      return false;
    default:
      return unreachable(command);
  }
}

/** Money is asked for by what would begin. */
function isOverBudget(event: RunEvent): boolean {
  if (event.type === 'run.paused') return event.code === ('over_budget' satisfies PauseCode);
  return event.type === 'run.ending' && event.stop.kind === 'over_budget';
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
    case 'asking':
      return decidePerson(plan, state, step);
    case 'calling':
      return calling(plan, state, step);
    case 'done':
      return undefined;
    default:
      return unreachable(now.phase);
  }
}

function attempted(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const command = afterAttempt(state, step);
  if (command !== undefined) return command;
  return hardChecksDue(plan, step) ? judge(state, step) : decidePass(plan, state, step);
}

function hardChecksDue(plan: Plan, step: StepPlan): boolean {
  return step.checks.some(({ kind }) => kind !== 'review') || guardsFiles(plan, step);
}

export function checksDue(plan: Plan, step: StepPlan): boolean {
  return step.checks.length > 0 || guardsFiles(plan, step);
}

/** A4: work behind a dirty exit is judged too, so that the next pass hears everything. */
function judge(state: RunState, step: StepPlan): Command {
  const now = stepOf(state, step.id);
  const checks = step.checks.filter(({ kind }) => kind !== 'review').map(({ name }) => name);
  return { do: 'judge', step: step.id, pass: now.pass, round: now.round + 1, checks };
}

function begin(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  if (!step.after.every((id) => isPast(stepOf(state, id))) || isEarly(state, now)) return undefined;
  const skipped = skippedAlong(plan, state, step);
  if (skipped !== undefined) return { do: 'emit', event: skipped };
  if (step.when === undefined || now.when?.kind === 'met') return attempt(plan, state, step);
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
      return pause(state, 'condition_error', why, resumeAfter(state, 'Mend the condition or what it needs'));
    }
    const reason = `Its condition could not be judged: ${now.when.reason}`;
    return { type: 'step.failed' as const, ...onStep, ...letGo(step, now, reason), stop: 'failed' as const };
  }
  const reason = `Its condition is not met${foundBy(step, now.when)}.`;
  if (step.when === undefined || step.when.onUnmet === 'skip') {
    return { type: 'step.skipped' as const, ...onStep, reason };
  }
  const stop = step.when.onUnmet === 'cancel' ? ('cancelled' as const) : ('failed' as const);
  return { type: 'step.failed' as const, ...onStep, reason, continued: false, stop };
}

const longestCommand = 80;

/** Of several conditions it is not known which one decided. */
function foundBy(step: StepPlan, when: StepState['when']): string {
  const actual = when?.kind === 'unmet' ? when.actual : '';
  if (step.when === undefined || step.when.and !== undefined) return ` (${actual})`;
  const command = step.when.condition.command.trim().replaceAll(/\s+/g, ' ');
  const shown = command.length > longestCommand ? `${command.slice(0, longestCommand - 1)}…` : command;
  return `: \`${shown}\` gives "${actual}"`;
}

function attempt(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  if (isEarly(state, now)) return undefined;
  const { kind } = step.work;
  const broke = kind === 'agent' || kind === 'call' ? spendExceeded(plan, state) : undefined;
  if (broke !== undefined) return { do: 'emit', event: broke };
  if (kind === 'person') return openTask(state, step);
  if (kind === 'call') return beginCall(state, step);
  return { do: 'attempt', step: step.id, pass: now.pass, attempt: now.attempt + 1 };
}

/** Each child run is paid for out of the run's money, so it is asked for each. */
function calling(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const command = decideCall(state, step);
  const broke = command?.do === 'startChild' ? spendExceeded(plan, state) : undefined;
  return broke === undefined ? command : { do: 'emit', event: broke };
}

/** Dependents run after a step that succeeded, was skipped, or failed and was continued (A8). */
function isPast(step: StepState): boolean {
  return step.phase === 'done' && (step.outcome !== 'failed' || step.continued);
}

function isEarly(state: RunState, step: StepState): boolean {
  return step.notBefore !== null && step.notBefore > state.now;
}
