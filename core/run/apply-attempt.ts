import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { AttemptResult, Spend } from '#core/run/attempt-result.ts';
import type { RunEventOf } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { crashRestarts, interruptionOf, nextLook } from '#core/run/interruption.ts';
import { type Busy, type RunState, type StepState, stepOf } from '#core/run/state.ts';
import { isWriter } from '#core/run/workspace-lock.ts';

type AttemptEvent = RunEventOf<
  | 'attempt.started'
  | 'attempt.finished'
  | 'attempt.interrupted'
  | 'recovery.started'
  | 'attempt.resumable'
  | 'attempt.lost'
  | 'attempt.retried'
  | 'work.cancelling'
  | 'work.cancelled'
>;

/** Folds what concerns one attempt of a step. */
export function applyAttempt(plan: Plan, state: RunState, event: AttemptEvent): RunState {
  const step = stepOf(state, event.step);
  switch (event.type) {
    case 'attempt.started':
      return begin(plan, state, event);
    case 'attempt.finished':
      return finish(plan, state, event);
    case 'attempt.interrupted':
      return settled(plan, state, event, {
        phase: 'interrupted',
        reason: event.fault.message,
        interruptedBy: event.fault.code,
      });
    case 'recovery.started':
      return withStep(state, event.step, { busy: busyWith('recovery', event.pass, event.attempt) });
    case 'attempt.resumable':
      return resumable(plan, state, event);
    case 'attempt.lost':
      return settled(plan, withSpend(state, event.spend), event, { phase: 'lost' });
    case 'attempt.retried':
      return withStep(state, event.step, {
        phase: 'cleared',
        notBefore: event.notBefore ?? null,
        reason: event.reason,
        retries: step.retries + (event.kind === 'retry' ? 1 : 0),
        crashes: step.crashes + (event.kind === 'crash' ? 1 : 0),
        waits: step.waits + (event.kind === 'quota' || event.kind === 'wait' ? 1 : 0),
      });
    case 'work.cancelling':
      return withStep(state, event.step, { busy: step.busy === null ? null : { ...step.busy, cancelling: true } });
    case 'work.cancelled':
      return cancelled(plan, state, event);
    default:
      return unreachable(event);
  }
}

function begin(plan: Plan, state: RunState, event: RunEventOf<'attempt.started'>): RunState {
  const step = stepOf(state, event.step);
  const resumed = step.phase === 'resumable';
  const reader = planStep(plan, event.step).readOnly;
  const begun = withStep(state, event.step, {
    phase: 'cleared',
    busy: busyWith('attempt', event.pass, event.attempt),
    attempt: event.attempt,
    begun: step.begun + (event.attempt === 1 && !resumed ? 1 : 0),
    notBefore: null,
    reason: null,
    interruptedBy: null,
    verdicts: [],
    round: 0,
    checkErrors: 0,
    judgedTree: null,
    judgedFingerprint: '',
    repeat: null,
    pinned: reader ? state.workspace.snapshot : null,
  });
  return reader ? begun : withTree(begun, { dirty: false });
}

/** C4: a result counts only for the pass that is current and not being cancelled; its spend always counts. */
function finish(plan: Plan, state: RunState, event: RunEventOf<'attempt.finished'>): RunState {
  const step = stepOf(state, event.step);
  const spent = withFolder(withSpend(state, event.result.spend), event.result);
  const writer = writes(plan, event.step);
  if (isStale(step, event.pass) || event.result.end.kind === 'cancelled') {
    return drop(spent, event.step, writer);
  }
  const applied = withStep(spent, event.step, {
    phase: 'attempted',
    busy: null,
    result: event.result,
    resultPass: event.pass,
    call: null,
    session: event.result.session ?? step.session,
  });
  return writer ? withTree(applied, treeAfter(event.result)) : applied;
}

/** D-06: no pass takes back what another wrote there, so that the folder is what the last attempt left, counted or not. */
function withFolder(state: RunState, { artifacts: kept }: AttemptResult): RunState {
  const { artifacts } = state.workspace;
  return kept === undefined || artifacts === undefined ? state : withTree(state, { artifacts: { ...artifacts, kept } });
}

/** E5: what a crashed agent left is not built upon; the next attempt starts from the snapshot before it. */
function treeAfter(result: AttemptResult): Partial<RunState['workspace']> {
  if (result.end.kind === 'crashed') return { dirty: true };
  return result.snapshot === undefined ? {} : { snapshot: result.snapshot };
}

type Settling = RunEventOf<'attempt.interrupted' | 'attempt.resumable' | 'attempt.lost'>;

function settled(plan: Plan, state: RunState, event: Settling, change: Partial<StepState>): RunState {
  const writer = writes(plan, event.step);
  if (isStale(stepOf(state, event.step), event.pass)) return drop(state, event.step, writer);
  const next = withStep(state, event.step, { ...change, busy: null });
  return writer ? withTree(next, { dirty: true }) : next;
}

/**
 * The tree is as its ended process left it; what no longer counts is restored like any other. Going on spends a restart
 * as a crash does: stages that fail again and again must not be tried for ever.
 */
function resumable(plan: Plan, state: RunState, event: RunEventOf<'attempt.resumable'>): RunState {
  const { crashes, interruptedBy, waits } = stepOf(state, event.step);
  const kind = interruptionOf(interruptedBy);
  if (kind === 'crash' && crashes >= crashRestarts) return settled(plan, state, event, { phase: 'lost' });
  const next = settled(plan, state, event, {
    phase: 'resumable',
    crashes: crashes + (kind === 'crash' && interruptedBy !== null ? 1 : 0),
    waits: waits + (kind === 'wait' ? 1 : 0),
    notBefore: kind === 'wait' ? nextLook(event.at, waits) : null,
  });
  const counts = !isStale(stepOf(state, event.step), event.pass) && writes(plan, event.step);
  return counts ? withTree(next, { dirty: false }) : next;
}

function cancelled(plan: Plan, state: RunState, event: RunEventOf<'work.cancelled'>): RunState {
  const spent = event.spend === undefined ? state : withSpend(state, event.spend);
  const { busy } = stepOf(state, event.step);
  // Conditions and checks run in the workspace, a reader's too: what they were doing to it is not built upon (B12).
  const inWorkspace = busy !== null && (busy.work === 'when' || busy.work === 'repeat' || busy.work === 'checks');
  return drop(spent, event.step, inWorkspace || writes(plan, event.step));
}

function writes(plan: Plan, id: string): boolean {
  return isWriter(planStep(plan, id));
}

function drop(state: RunState, step: string, writer: boolean): RunState {
  const settledStep = withStep(state, step, { busy: null });
  return writer ? withTree(settledStep, { dirty: true }) : settledStep;
}

export function isStale(step: StepState, pass: number): boolean {
  return pass !== step.pass || step.busy?.cancelling === true;
}

export function busyWith(work: Busy['work'], pass: number, attempt: number) {
  return { work, pass, attempt, cancelling: false };
}

export function withStep(state: RunState, id: string, change: Partial<StepState>): RunState {
  return { ...state, steps: { ...state.steps, [id]: { ...stepOf(state, id), ...change } } };
}

/** Many steps at once, for one copy of them all. */
export function withSteps(state: RunState, ids: readonly string[], change: (id: string) => StepState): RunState {
  const steps: Record<string, StepState> = { ...state.steps };
  for (const id of ids) steps[id] = change(id);
  return { ...state, steps };
}

function withTree(state: RunState, change: Partial<RunState['workspace']>): RunState {
  return { ...state, workspace: { ...state.workspace, ...change } };
}

export function withSpend(state: RunState, spend: Spend): RunState {
  return {
    ...state,
    spend: {
      usd: (state.spend.usd ?? 0) + (spend.usd ?? 0),
      estimated: state.spend.estimated || spend.estimated,
      inputTokens: state.spend.inputTokens + spend.inputTokens,
      outputTokens: state.spend.outputTokens + spend.outputTokens,
    },
  };
}
