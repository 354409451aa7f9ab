import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Command } from '#core/run/command.ts';
import { tasksOf, whyOver } from '#core/run/apply-task.ts';
import { askAboutLimit } from '#core/run/ask-limit.ts';
import { beginsPass, decideStep, takesWorkspace } from '#core/run/decide-step.ts';
import type { RunEvent } from '#core/run/event.ts';
import { conclude, finish, keptFirst } from '#core/run/finish.ts';
import { handle } from '#core/run/handlers.ts';
import { deadlineExceeded, timeExceeded } from '#core/run/limits.ts';
import { pause, resumeAfter } from '#core/run/pause.ts';
import { admission } from '#core/run/lane.ts';
import { planNow } from '#core/run/plan-now.ts';
import type { FailureCode, PauseCode } from '#core/run/run-codes.ts';
import { hasStrays, isBusy, isPassing, type RunState, stepOf } from '#core/run/state.ts';
import { WorkspaceLock } from '#core/run/workspace-lock.ts';

/**
 * The whole control law: everything that is due now, from what is known. Pure, total, and the only place that decides.
 * It returns either one decision to emit (ask again after it) or all work that is due; a command that was begun is
 * known to the state and never returned again.
 */
export function next(original: Plan, state: RunState): Command[] {
  if (state.stop !== null) return [];
  const plan = planNow(original, state);
  if (state.handling !== null) return handle(plan, state, state.handling);
  const cancels = cancelling(state);
  if (cancels.length > 0) return cancels;
  const unasked = closing(state);
  if (unasked !== undefined) return [{ do: 'emit', event: unasked }];
  if (state.ending !== null) return [...toldChildren(state), ...ended(plan, state)];
  return [...toldChildren(state), ...going(plan, state)];
}

function going(plan: Plan, state: RunState): Command[] {
  const { paused } = state;
  if (paused !== null && paused.code !== ('person' satisfies PauseCode)) return whilePaused(plan, state);
  // What has begun to be kept and delivered has passed: no limit takes that back (E1).
  const late = isPassing(state) ? undefined : limitReached(plan, state);
  const overdue = late ?? failedStep(plan, state);
  if (overdue !== undefined) return [{ do: 'emit', event: overdue }];
  if (paused !== null || state.held.length > 0) return windingDown(plan, state);
  return prepare(plan, state) ?? work(plan, state) ?? finish(plan, state) ?? stuck(plan, state);
}

/**
 * E3, E-19: what has begun goes on to its verdict, and nothing else begins. What a person paused stays so: a pause of the
 * law's own is due again once they resume.
 */
function windingDown(plan: Plan, state: RunState): Command[] {
  if (state.workspace.phase !== 'open') return [];
  const isPaused = state.paused !== null;
  return work(plan, state, (command) => !beginsPass(command) && !(isPaused && isPause(command))) ?? [];
}

function isPause(command: Command): boolean {
  return command.do === 'emit' && command.event.type === 'run.paused';
}

/** A run that a person paused is not paused once more for its time; its deadline goes on. */
function limitReached(plan: Plan, state: RunState): RunEvent | undefined {
  const reached = timeExceeded(plan, state);
  return state.paused !== null && reached?.type === 'run.paused' ? undefined : reached;
}

/** Nothing starts while a run is paused, but its deadline goes on (E10), and a person who is asked may answer (C7). */
function whilePaused(plan: Plan, state: RunState): Command[] {
  const late = deadlineExceeded(plan, state);
  if (late?.type === 'run.ending') return [{ do: 'emit', event: late }];
  const event = askAboutLimit(plan, state);
  return event === undefined ? [] : [{ do: 'emit', event }];
}

/** What is under way and no longer counts: of an older pass, or of a run that is ending. */
function cancelling(state: RunState): Command[] {
  const commands = Object.entries(state.steps).flatMap(([id, step]): Command[] => {
    const { busy } = step;
    // A child that is being started is let begin: cancelled once its name is known, it cannot be left alone.
    if (busy === null || busy.cancelling || busy.work === 'child') return [];
    if (busy.pass === step.pass && state.ending === null) return [];
    return [
      { do: 'cancel', work: id },
      { do: 'emit', event: { type: 'work.cancelling', at: state.now, step: id, pass: busy.pass } },
    ];
  });
  return commands.slice(0, 2);
}

/** A question whose pass or run is over closes without a decision (D2). */
function closing(state: RunState): RunEvent | undefined {
  for (const { step, task } of tasksOf(state)) {
    if (task.status !== 'open') continue;
    const over = whyOver(state, step);
    if (over === undefined) continue;
    const pass = state.steps[step]?.pass ?? 0;
    const onTask = { at: state.now, step, pass, task: task.id, revision: task.revision };
    return { type: 'task.closed', ...onTask, reason: over };
  }
  return undefined;
}

/** Children that no longer count are cancelled. */
function toldChildren(state: RunState): Command[] {
  return Object.entries(state.steps).flatMap(([step, { pass, strays }]) =>
    strays.flatMap(({ runId, told }): Command[] => (told === 'no' ? [{ do: 'cancelChild', step, pass, runId }] : [])),
  );
}

/** Nothing new starts. The run stops once all that is under way has settled; a delivery under way is let finish. */
function ended(plan: Plan, state: RunState): Command[] {
  if (!isBusy(state) && !hasStrays(state) && state.ending !== null) {
    return keptFirst(plan, state, state.ending.kind) ?? [conclude(plan, state, state.ending)];
  }
  const commands: Command[] = [];
  if (state.workspace.phase === 'opening') commands.push({ do: 'cancel', work: '@openWorkspace' });
  if (state.baseline.phase === 'running') commands.push({ do: 'cancel', work: '@baseline' });
  return commands;
}

function failedStep(plan: Plan, state: RunState): RunEvent | undefined {
  const failed = plan.steps.find(({ id }) => {
    const step = stepOf(state, id);
    return step.outcome === 'failed' && !step.continued;
  });
  if (failed === undefined) return undefined;
  const step = stepOf(state, failed.id);
  const kind = step.failedAs ?? 'failed';
  const what = kind === 'cancelled' ? 'was not to run' : 'failed';
  const reason = `Step "${failed.name}" ${what}: ${step.reason ?? 'no reason was given'}`;
  return { type: 'run.ending', at: state.now, stop: { kind, reason } };
}

/** The workspace, then the baseline (B11), before any step; `undefined` once both are there. */
function prepare(plan: Plan, state: RunState): Command[] | undefined {
  if (state.workspace.phase === 'none') return [{ do: 'openWorkspace' }];
  if (state.workspace.phase === 'opening') return [];
  if (baselineChecks(plan).length === 0 || state.baseline.phase === 'done') return redBase(plan, state);
  return state.baseline.phase === 'due' ? [{ do: 'baseline' }] : [];
}

function redBase(plan: Plan, state: RunState): Command[] | undefined {
  if (plan.baseline !== 'mustPass') return undefined;
  const red = state.baseline.verdicts.filter(({ verdict }) => verdict.kind !== 'pass');
  if (red.length === 0) return undefined;
  const told = red.map(({ check, verdict }) => `${check}: ${verdict.evidence.summary}`).join('; ');
  // B10: what could not run says nothing about the base.
  if (red.every(({ verdict }) => verdict.kind === 'error')) {
    const why = `A check could not run on the base: ${told}`;
    return [{ do: 'emit', event: pause(state, 'check_error', why, resumeAfter(state, 'Mend what the check needs')) }];
  }
  const reason = `The base is red before any work: ${told}`;
  const remedy = 'Mend the base, or use `baseline: report` to have the agent mend it.';
  const stop = { kind: 'failed' as const, code: 'base_red' satisfies FailureCode, reason, remedy };
  return [{ do: 'emit', event: { type: 'run.ending', at: state.now, stop } }];
}

/** The hard checks that the baseline runs: the commands that judge an agent's work. */
export function baselineChecks(plan: Plan): { step: StepPlan; checks: StepPlan['checks'] }[] {
  if (plan.baseline === 'off') return [];
  return plan.steps.flatMap((step) => {
    const checks = step.work.kind === 'agent' ? step.checks.filter((check) => check.kind === 'command') : [];
    return checks.length === 0 ? [] : [{ step, checks }];
  });
}

/** Every step's due work in plan order; the first decision found is returned alone. `undefined`: nothing is under way. */
function work(plan: Plan, state: RunState, wanted: (command: Command) => boolean = () => true): Command[] | undefined {
  const due: Command[] = [];
  const lock = new WorkspaceLock(plan, state);
  for (const step of plan.steps) {
    const command = decideStep(plan, state, step, lock);
    if (command === undefined || !wanted(command)) continue;
    if (command.do === 'emit') return [command];
    const lane = command.do === 'attempt' ? admission(state, step) : undefined;
    if (lane !== undefined) return [{ do: 'emit', event: lane }];
    due.push(command);
    if (takesWorkspace(command, step)) lock.take(step.id);
  }
  return due.length > 0 || isBusy(state) ? due : undefined;
}

/** Decision 16: nothing is silently stuck. */
function stuck(plan: Plan, state: RunState): Command[] {
  if (waits(state)) return [];
  const waiting = plan.steps.filter(({ id }) => stepOf(state, id).phase !== 'done').map(({ name }) => `"${name}"`);
  const reason = `Nothing is due, nothing runs and nothing is waited for. Unfinished: ${waiting.join(', ')}.`;
  const stop = { kind: 'failed' as const, code: 'stuck' satisfies FailureCode, reason };
  return [{ do: 'emit', event: { type: 'run.ending', at: state.now, stop } }];
}

/** For an interval, a window, a person, or a child run. */
function waits(state: RunState): boolean {
  return Object.values(state.steps).some((step) => {
    const isEarly = step.notBefore !== null && step.notBefore > state.now;
    return isEarly || step.phase === 'asking' || step.phase === 'calling';
  });
}
