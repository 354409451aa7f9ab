import type { MessageAnswer, RunMessageOf } from '#core/contract/seat.ts';
import { durationText } from '#core/plan/amounts.ts';
import { editIssues } from '#core/plan/edit.ts';
import type { Plan } from '#core/plan/plan.ts';
import { causeOf } from '#core/run/cause.ts';
import type { RaisedLimits } from '#core/run/event.ts';
import { applied, refused } from '#core/run/refusal.ts';
import { isBusy, isPassing, type RunState, stepOf } from '#core/run/state.ts';

export function mayCancel(state: RunState): MessageAnswer {
  if (state.stop === null) return applied;
  return refused('run/ended', `The run has ended (${state.stop.kind}); there is nothing to cancel.`);
}

/** E8: a run that has ended or is paused, with nothing of it alive any more. */
export function mayRetry(plan: Plan, state: RunState, message: RunMessageOf<'retry'>): MessageAnswer {
  const unknown = [message.from, message.only].find((id) => id !== undefined && !hasStep(plan, id));
  if (unknown !== undefined) return noStep(plan, unknown);
  const isWhole = message.from === undefined && message.only === undefined;
  if (state.stop?.kind === 'succeeded' && isWhole) {
    return refused('run/succeeded', 'The run has succeeded; retry one step of it (--from STEP), or start a new run.');
  }
  if (state.stop !== null) return applied;
  if (state.paused === null) return refused('run/not-ended', 'The run has not ended; cancel it first, or let it end.');
  if (isBusy(state)) return refused('run/busy', 'The run is pausing: what is under way ends first. Ask again then.');
  return applied;
}

export function mayPause(state: RunState): MessageAnswer {
  if (state.stop !== null) return ended(state);
  if (state.ending !== null) return refused('run/ended', `The run is ending: ${state.ending.reason}`);
  if (state.paused === null) return applied;
  return refused('run/already-paused', `The run is paused already: ${state.paused.reason}`);
}

/** E3: refused while the cause holds, naming the remedy. */
export function mayResume(plan: Plan, state: RunState): MessageAnswer {
  if (state.stop !== null) return ended(state);
  if (state.paused === null) {
    const held = state.held[0];
    const why = held === undefined ? '' : ` Its source "${held}" is off: setpoint source on ${held}`;
    return refused('run/not-paused', `The run is not paused.${why}`);
  }
  const cause = causeOf(plan, state);
  if (cause === null) return applied;
  return refused(
    'run/cause-holds',
    `What paused it still holds: ${sentence(cause.reason)} Clear it by: ${cause.remedy}`,
  );
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** E3: a limit can only grow, and above what is spent of it. */
export function mayRaise(plan: Plan, state: RunState, limits: RaisedLimits): MessageAnswer {
  if (state.stop !== null) return ended(state);
  if (state.ending !== null) return refused('run/ended', `The run is ending: ${state.ending.reason}`);
  if (limits.step !== undefined && !hasStep(plan, limits.step)) return noStep(plan, limits.step);
  for (const raise of raises(plan, state, limits)) {
    if (raise.now === undefined) {
      return refused('raise/no-limit', `The run has no limit of ${raise.name}, so there is nothing to raise.`);
    }
    const least = Math.max(raise.now, raise.spent);
    if (raise.to > least) continue;
    const spent = `${raise.show(raise.spent)} spent`;
    return refused(
      'raise/not-higher',
      `The limit of ${raise.name} is ${raise.show(raise.now)}, with ${spent}: raise it above ${raise.show(least)}.`,
    );
  }
  return applied;
}

interface Raise {
  name: string;
  to: number;
  now: number | undefined;
  spent: number;
  show: (amount: number) => string;
}

function raises(plan: Plan, state: RunState, limits: RaisedLimits): Raise[] {
  const { timeSeconds, deadlineSeconds, spendUsd, passes } = limits;
  const seconds = (amount: number): string => durationText(Math.ceil(amount));
  const found: (Omit<Raise, 'to'> & { to: number | undefined })[] = [
    { name: 'passes', to: passes, ...passesOf(plan, state, limits.step), show: String },
    { name: 'time', to: timeSeconds, now: plan.limits.timeSeconds, spent: state.activeMs / 1000, show: seconds },
    {
      name: 'the deadline',
      to: deadlineSeconds,
      now: plan.limits.deadlineSeconds,
      spent: (state.now - state.countedFrom) / 1000,
      show: seconds,
    },
    {
      name: 'spend',
      to: spendUsd,
      now: plan.limits.spendUsd,
      spent: state.spend.usd ?? 0,
      show: (amount) => `${amount.toFixed(2)} USD`,
    },
  ];
  return found.flatMap(({ to, ...rest }) => (to === undefined ? [] : [{ ...rest, to }]));
}

/** The fewest passes that a loop of those allows, and how many of them have begun. */
function passesOf(plan: Plan, state: RunState, only: string | undefined): { now: number | undefined; spent: number } {
  const loops = plan.steps.flatMap(({ id, loop, work }) => {
    if (only !== undefined && id !== only) return [];
    const now = stepOf(state, id);
    const backs = work.kind === 'person' ? work.pushBackLimit : null;
    return [
      ...bounded(loop?.limit ?? null, now.loops),
      // Where push backs are limited, they are by the same number (D3).
      ...bounded(backs, now.pushBacks),
    ];
  });
  const tightest = loops.toSorted((a, b) => a.allowed - b.allowed)[0];
  return { now: tightest?.allowed, spent: tightest?.begun ?? 0 };
}

function bounded(limit: number | null, fired: number): { allowed: number; begun: number }[] {
  return limit === null ? [] : [{ allowed: limit + 1, begun: fired + 1 }];
}

/** E3: what may change is for `editIssues` to say. */
export function mayEdit(plan: Plan, state: RunState, edited: Plan): MessageAnswer {
  if (state.stop !== null) return ended(state);
  if (state.ending !== null) return refused('run/ended', `The run is ending: ${state.ending.reason}`);
  const issues = editIssues(plan, edited);
  if (issues.length > 0) return refused('edit/not-allowed', issues.join(' '));
  if (JSON.stringify(plan) !== JSON.stringify(edited)) return applied;
  return refused('edit/unchanged', 'The new definition says what the run does already; nothing would change.');
}

/** Any finished step of a run that has not ended. */
export function mayPushBack(plan: Plan, state: RunState, id: string): MessageAnswer {
  if (state.stop !== null) return ended(state);
  if (state.ending !== null) return refused('run/ended', `The run is ending: ${state.ending.reason}`);
  if (isPassing(state)) {
    return refused(
      'run/busy',
      `What was verified is being delivered. Let the run end, then go back to the step: setpoint retry ${state.runId} --from ${id}`,
    );
  }
  const step = state.steps[id];
  if (step === undefined || !hasStep(plan, id)) return noStep(plan, id);
  if (step.phase === 'done') return applied;
  const remedy =
    step.task?.status === 'open' ? `Decide its task: setpoint push-back ${step.task.id}` : 'Let it finish.';
  return refused('step/not-finished', `Step "${id}" is not finished, so there is nothing to send back. ${remedy}`);
}

function ended(state: RunState): MessageAnswer {
  const how = state.stop?.kind ?? 'ended';
  return refused('run/ended', `The run has ended (${how}). Go on with it by: setpoint retry ${state.runId}`);
}

/** A handler is none: it runs at the end of the run, and only then. */
function hasStep(plan: Plan, id: string): boolean {
  return plan.steps.some((step) => step.id === id);
}

function noStep({ steps }: Plan, id: string): MessageAnswer {
  return refused(
    'step/not-found',
    `There is no step "${id}". The run has: ${steps.map((step) => step.id).join(', ')}.`,
  );
}
