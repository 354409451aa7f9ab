import type { Verdict } from '#core/check/verdict.ts';
import { unreachable } from '#core/exhaustive.ts';
import { attemptProblem } from '#core/run/attempt-problem.ts';
import type { LoopPlan, Plan, RepeatAction, StepPlan } from '#core/plan/plan.ts';
import type { Command } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';
import { failed, loopOr, succeeded } from '#core/run/decide-loop.ts';
import { conditionText, isMet } from '#core/run/repeat.ts';
import { errorRetries, pause, resumeAfter } from '#core/run/pause.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import { shortStreaks } from '#core/run/streak.ts';

/** A pass whose attempt and checks are in: judge again, ask the loop's condition, loop, succeed or fail (A1, B1–C8). */
export function decidePass(plan: Plan, state: RunState, step: StepPlan): Command | undefined {
  const review = reviewDue(state, step);
  if (review !== undefined) return review;
  const now = stepOf(state, step.id);
  const broken = now.verdicts.filter(({ verdict }) => verdict.kind === 'error');
  const problem = passProblem(step, now);
  // In mode `any` a check that could not run does not matter once another has passed.
  if (broken.length > 0 && problem !== undefined) return brokenChecks(state, step, broken);
  const asked = step.loop === undefined ? undefined : askRepeat(state, step, step.loop, problem === undefined);
  if (asked !== undefined) return asked;
  const event = outcome(plan, state, step, problem);
  return { do: 'emit', event };
}

/** B2, B5: reviews are asked one by one, those that need it only when every check before them passed. */
function reviewDue(state: RunState, step: StepPlan): Command | undefined {
  const now = stepOf(state, step.id);
  const kinds = new Map(now.verdicts.map(({ check, verdict }) => [check, verdict.kind]));
  const guards = [...kinds.keys()].filter((name) => !step.checks.some((check) => check.name === name));
  const due = step.checks.find((check, index) => {
    if (check.kind !== 'review' || kinds.has(check.name)) return false;
    const before = [...guards, ...step.checks.slice(0, index).map(({ name }) => name)];
    const passed = isCleanAttempt(now) && before.every((name) => kinds.get(name) === 'pass');
    return check.needs === 'always' || passed;
  });
  return due === undefined ? undefined : askReview(now, step, due.name);
}

/** A1: exit and match come before the checks. */
function isCleanAttempt({ result }: StepState): boolean {
  return result !== null && attemptProblem(result) === undefined;
}

function askReview(now: StepState, step: StepPlan, check: string): Command {
  return { do: 'review', step: step.id, pass: now.pass, round: now.round + 1, check };
}

/** Why the pass does not pass, in one line; `undefined` when its attempt and its checks do (A4, B2). */
export function passProblem(step: StepPlan, now: StepState): string | undefined {
  const attempt = now.result === null ? 'It has no result.' : attemptProblem(now.result);
  const failing = now.verdicts.filter(({ verdict }) => !passes(verdict));
  const unasked = step.checks.filter(({ name }) => !now.verdicts.some(({ check }) => check === name));
  if (attempt !== undefined) return attempt;
  const guarded = failing.filter(({ check }) => !step.checks.some(({ name }) => name === check));
  const anyPassed = step.mode === 'any' && step.checks.length > 0 && now.verdicts.some(isWritten(step, now));
  const counted = anyPassed ? guarded : failing;
  if (counted.length > 0)
    return counted.map(({ check, verdict }) => `${check}: ${verdict.evidence.summary}`).join('; ');
  const short = shortStreaks(step, now);
  if (short.length > 0 && !anyPassed) {
    return short.map(({ check, passed, of }) => `${check}: passed ${passed} of ${of} times in a row`).join('; ');
  }
  return anyPassed || unasked.length === 0 ? undefined : `Not judged: ${unasked.map(({ name }) => name).join(', ')}.`;
}

function isWritten(step: StepPlan, now: StepState) {
  const short = shortStreaks(step, now).map(({ check }) => check);
  return ({ check, verdict }: { check: string; verdict: Verdict }) =>
    passes(verdict) && !short.includes(check) && step.checks.some(({ name }) => name === check);
}

function passes(verdict: Verdict): boolean {
  return verdict.kind === 'pass';
}

/** B1: a check that could not run is asked again, then the run pauses; the work is never blamed for it. */
function brokenChecks(state: RunState, step: StepPlan, broken: StepState['verdicts']): Command {
  const now = stepOf(state, step.id);
  if (now.checkErrors <= errorRetries) {
    const again = askAgain(step, now);
    const hard = again.filter((name) => isHard(step, name));
    const [review] = again;
    if (hard.length === 0 && review !== undefined) return askReview(now, step, review);
    return { do: 'judge', step: step.id, pass: now.pass, round: now.round + 1, checks: hard };
  }
  const why = broken.map(({ check, verdict }) => `${check}: ${verdict.evidence.summary}`).join('; ');
  const reason = `A check of step "${step.name}" could not run: ${why}`;
  return { do: 'emit', event: pause(state, 'check_error', reason, resumeAfter(state, 'Mend what the check needs')) };
}

/** Asked together, in one activity; a review is asked by itself. */
export function isHard(step: StepPlan, name: string): boolean {
  return step.checks.some((check) => check.name === name && check.kind !== 'review');
}

/** What could not run, and what was not asked only because of it: a check behind one that failed stays unasked (B2). */
function askAgain(step: StepPlan, now: StepState): string[] {
  const kinds = new Map(now.verdicts.map(({ check, verdict }) => [check, verdict.kind]));
  const written = step.checks.map(({ name }) => name);
  const guards = [...kinds.keys()].filter((name) => !written.includes(name));
  const isFailed = (name: string): boolean => kinds.get(name) === 'fail' || kinds.get(name) === 'missing';
  return written.filter((name, index) => {
    if (kinds.has(name)) return kinds.get(name) === 'error';
    return ![...guards, ...written.slice(0, index)].some(isFailed);
  });
}

/** C5: the loop's condition is asked once a pass; an error is asked again, and then it is neither met nor unmet. */
function askRepeat(state: RunState, step: StepPlan, loop: LoopPlan, passed: boolean): Command | undefined {
  const now = stepOf(state, step.id);
  if (loop.repeat?.condition === undefined || !concerns(loop, passed)) return undefined;
  if (now.repeat === null || (now.repeat.kind === 'error' && now.conditionErrors <= errorRetries)) {
    return { do: 'evaluate', step: step.id, pass: now.pass, purpose: 'repeat' };
  }
  if (now.repeat.kind !== 'error' || loop.repeat.onError === 'unmet') return undefined;
  const reason = `The loop condition of step "${step.name}" could not be judged: ${now.repeat.reason}`;
  if (loop.repeat.onError === 'fail') return { do: 'emit', event: failed(state, step, reason, 'failed') };
  return {
    do: 'emit',
    event: pause(state, 'condition_error', reason, resumeAfter(state, 'Mend the condition or what it needs')),
  };
}

function outcome(plan: Plan, state: RunState, step: StepPlan, problem: string | undefined): RunEvent {
  const { loop } = step;
  const now = stepOf(state, step.id);
  const ended = () => (problem === undefined ? succeeded(state, step) : failed(state, step, problem, 'failed'));
  if (loop === undefined || !concerns(loop, problem === undefined)) return ended();
  const action = actionOf(loop, now);
  switch (action) {
    case 'again':
      return loopOr(plan, state, step, loop, problem);
    case 'stop':
      return { ...failed(state, step, stopReason(step, loop, now), 'failed'), continued: false };
    case 'continue':
      return ended();
    default:
      return unreachable(action);
  }
}

function concerns(loop: LoopPlan, passed: boolean): boolean {
  return loop.on === 'always' || (loop.on === 'pass') === passed;
}

/** C5, C-04: a loop without a condition goes on for as long as it is concerned. */
function actionOf({ repeat }: LoopPlan, now: StepState): RepeatAction {
  if (repeat === undefined) return 'again';
  const {
    mode,
    met = mode === 'until' ? 'continue' : 'again',
    unmet = mode === 'until' ? 'again' : 'continue',
  } = repeat;
  return isMet(repeat, now) ? met : unmet;
}

function stopReason(step: StepPlan, { repeat }: LoopPlan, now: StepState): string {
  const how = repeat !== undefined && isMet(repeat, now) ? 'is met' : 'is not met';
  return `The condition of step "${step.name}" ${how}${conditionText(now)}, which stops the run.`;
}
