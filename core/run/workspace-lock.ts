import { unreachable } from '#core/exhaustive.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { RunState, StepState } from '#core/run/state.ts';
import { stepOf } from '#core/run/state.ts';

/**
 * Decision 14: who holds the workspace. One writer at a time: from its first attempt until its pass is decided, a writer
 * holds it, and so does whatever is being cancelled until it has settled. A reader works on its own checkout and takes the
 * workspace only for its checks. With `worktree: off` nothing is held. It is read once for all steps, which then take it
 * in plan order.
 */
export class WorkspaceLock {
  readonly #holders: Set<string>;
  readonly #isShared: boolean;

  constructor(plan: Plan, state: RunState) {
    this.#isShared = plan.workspace.worktree;
    const holding = plan.steps.filter((step) => holds(step, stepOf(state, step.id)));
    this.#holders = new Set(holding.map(({ id }) => id));
  }

  isFreeFor(id: string): boolean {
    if (!this.#isShared || this.#holders.size === 0) return true;
    return this.#holders.size === 1 && this.#holders.has(id);
  }

  take(id: string): void {
    this.#holders.add(id);
  }
}

function holds(plan: StepPlan, step: StepState): boolean {
  if (!isWriter(plan)) return holdsForConditions(step);
  return step.busy !== null || isMidPass(step);
}

/** Agents and commands that may change the workspace; people and calls touch none (decision 14). */
export function isWriter({ work, readOnly }: StepPlan): boolean {
  return !readOnly && (work.kind === 'agent' || work.kind === 'run');
}

/** A reader attempts on its own checkout, people and calls need none; their conditions and checks run in the workspace. */
function holdsForConditions({ busy }: StepState): boolean {
  return busy !== null && (busy.work === 'when' || busy.work === 'repeat' || busy.work === 'checks');
}

/** Between its first attempt and the decision on its pass. */
export function isMidPass(step: StepState): boolean {
  switch (step.phase) {
    case 'idle':
    case 'done':
      return false;
    case 'cleared':
      return step.attempt > 0;
    case 'interrupted':
    case 'resumable':
    case 'lost':
    case 'asking':
    case 'calling':
    case 'attempted':
    case 'judged':
      return true;
    default:
      return unreachable(step.phase);
  }
}
