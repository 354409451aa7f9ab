import { unreachable } from '#core/exhaustive.ts';
import { feedbackOf } from '#core/feedback/route.ts';
import type { Plan } from '#core/plan/plan.ts';
import { busyWith, isStale, withSpend, withStep, withSteps } from '#core/run/apply-attempt.ts';
import { nextPass, recounted } from '#core/run/next-pass.ts';
import { streaksAfter } from '#core/run/streak.ts';
import type { RunEventOf } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';

type StepEvent = RunEventOf<
  | 'condition.started'
  | 'condition.judged'
  | 'checks.started'
  | 'check.judged'
  | 'checks.finished'
  | 'checks.interrupted'
  | 'step.succeeded'
  | 'step.failed'
  | 'step.skipped'
  | 'step.reopened'
  | 'loop.fired'
>;

type StepOwnEvent = Exclude<StepEvent, { type: 'loop.fired' | 'step.reopened' | 'checks.interrupted' }>;

/** How many fingerprints a loop remembers: more than any sane bound on passes, small enough for a state. */
const seenLimit = 100;

/** Folds what concerns a step's conditions, checks, outcome and loop. */
export function applyStep(plan: Plan, state: RunState, event: StepEvent): RunState {
  if (event.type === 'loop.fired') return fireLoop(plan, state, event);
  if (event.type === 'step.reopened') return reopen(state, event);
  if (event.type === 'checks.interrupted') return breakOff(state, event);
  const spent = event.type === 'checks.finished' && event.spend !== undefined ? withSpend(state, event.spend) : state;
  const change = changeOf(stepOf(spent, event.step), event);
  return change === undefined ? spent : withStep(spent, event.step, change);
}

/** `undefined`: recorded, not applied (C4). */
function changeOf(step: StepState, event: StepOwnEvent): Partial<StepState> | undefined {
  switch (event.type) {
    case 'condition.started':
      return { busy: busyWith(event.purpose, event.pass, step.attempt) };
    case 'condition.judged':
      return isStale(step, event.pass) ? { busy: null } : conditionJudged(step, event);
    case 'checks.started':
      return { busy: checking(step, event), round: event.round };
    case 'check.judged':
      return isStale(step, event.pass) ? undefined : judged(step, event);
    case 'checks.finished':
      return isStale(step, event.pass) ? { busy: null } : checksFinished(step, event);
    case 'step.succeeded':
      return { phase: 'done', outcome: 'succeeded', reason: event.note ?? null };
    case 'step.failed':
      return {
        phase: 'done',
        outcome: 'failed',
        continued: event.continued,
        failedAs: event.stop,
        reason: event.reason,
      };
    case 'step.skipped':
      return { phase: 'done', outcome: 'skipped', reason: event.reason, skippedBy: event.by ?? null };
    default:
      return unreachable(event);
  }
}

function checking(step: StepState, event: RunEventOf<'checks.started'>): StepState['busy'] {
  const busy = busyWith('checks', event.pass, step.attempt);
  return event.check === undefined ? busy : { ...busy, review: true };
}

/** Judged again on the tree as it is now; a reader's checks are pinned to it too. */
function reopen(state: RunState, event: RunEventOf<'step.reopened'>): RunState {
  const { pinned } = stepOf(state, event.step);
  return withStep(state, event.step, {
    phase: 'attempted',
    outcome: null,
    verdicts: [],
    checkErrors: 0,
    judgedTree: null,
    judgedFingerprint: '',
    repeat: null,
    pinned: pinned === null ? null : state.workspace.snapshot,
    streaks: {},
  });
}

/** A check that was broken off may have left its changes behind (B12). */
function breakOff(state: RunState, event: RunEventOf<'checks.interrupted'>): RunState {
  const idle = withStep(state, event.step, { busy: null });
  return { ...idle, workspace: { ...idle.workspace, dirty: true } };
}

function conditionJudged(step: StepState, event: RunEventOf<'condition.judged'>): Partial<StepState> {
  const conditionErrors = event.outcome.kind === 'error' ? step.conditionErrors + 1 : 0;
  if (event.purpose === 'repeat') return { busy: null, repeat: event.outcome, conditionErrors };
  const met = event.outcome.kind === 'met';
  return { busy: null, when: event.outcome, conditionErrors, phase: met ? 'cleared' : 'idle' };
}

function checksFinished(step: StepState, event: RunEventOf<'checks.finished'>): Partial<StepState> {
  return {
    busy: null,
    phase: 'judged',
    judgedTree: event.tree ?? null,
    // Checks that are asked again add to what was found: a pass is the same only when all of its rounds were.
    judgedFingerprint: [step.judgedFingerprint, event.fingerprint].filter((part) => part !== '').join('/'),
    // An error that stands from a round before was counted then.
    checkErrors: step.checkErrors + (step.errorRound === step.round ? 1 : 0),
  };
}

function judged(step: StepState, event: RunEventOf<'check.judged'>): Partial<StepState> {
  const { check, verdict } = event;
  const streak = verdict.kind === 'pass' ? (step.streaks[check] ?? 0) + 1 : 0;
  return {
    verdicts: replaced(step.verdicts, event),
    streaks: { ...step.streaks, [check]: streak },
    ...(verdict.kind === 'error' ? { errorRound: step.round } : {}),
  };
}

function replaced(verdicts: StepState['verdicts'], event: RunEventOf<'check.judged'>): StepState['verdicts'] {
  const others = verdicts.filter(({ check }) => check !== event.check);
  return [...others, { check: event.check, verdict: event.verdict }];
}

/** C2: counters are per looping step; every step of the reset set begins its next pass with the new feedback (C9). */
function fireLoop(plan: Plan, state: RunState, event: RunEventOf<'loop.fired'>): RunState {
  const source = stepOf(state, event.step);
  const feedback = feedbackOf(planStep(plan, event.step), source);
  const byPerson = event.pushBack === true;
  // What stands before a step is asked before its repeats, not before each: its own work may have changed the answer.
  const isRepeat = event.to === event.step && !byPerson && planStep(plan, event.step).when?.once === true;
  const counted = withStep(state, event.step, {
    ...(byPerson ? { pushBacks: event.count } : { loops: event.count }),
    seen: [...source.seen, event.fingerprint].slice(-seenLimit),
    repeats: event.repeats,
    streaks: streaksAfter(planStep(plan, event.step), source),
  });
  const ofTarget = {
    notBefore: event.notBefore ?? null,
    prompt: event.prompt ?? null,
    found: event.prompt === undefined ? null : (source.repeat?.found ?? null),
  };
  return withSteps(counted, event.reset, (id) => {
    const step = stepOf(counted, id);
    // D-20: a person's push back starts the loops within anew; a loop of the plan's own does not (V-23).
    const next = nextPass(byPerson && id !== event.step ? recounted(step) : step);
    return {
      ...next,
      ...(id === event.to ? ofTarget : {}),
      ...(isRepeat && id === event.step ? { when: step.when } : {}),
      // What has never begun has nothing to mend: in its first pass it hears the base's findings only.
      feedback: step.begun === 0 ? [] : feedback,
    };
  });
}
