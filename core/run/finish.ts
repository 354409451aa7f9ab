import type { ArtifactRef } from '#core/contract/artifact.ts';
import { handlersFor } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Spend } from '#core/run/attempt-result.ts';
import type { Command } from '#core/run/command.ts';
import { passProblem } from '#core/run/decide-pass.ts';
import type { RunEventOf, ToParent } from '#core/run/event.ts';
import { hasStrays, type RunState, type StepState, stepOf } from '#core/run/state.ts';
import type { Stop, StopKind } from '#core/run/stop.ts';

/**
 * Once every step is done: what was judged on another tree is judged again, then what the next run begins with is kept,
 * then the verified tree is delivered, then the run has succeeded (E1, G2). `undefined` while a step is not done.
 * With handlers, what they leave is kept, so that comes after them.
 */
export function finish(plan: Plan, state: RunState): Command[] | undefined {
  if (plan.steps.some(({ id }) => stepOf(state, id).phase !== 'done')) return undefined;
  // A child run of an older pass is being cancelled: it must not outlive its parent.
  if (hasStrays(state)) return [];
  // A delivery takes the worktree away, and what is to be kept with it.
  return reverify(plan, state) ?? keptFirst(plan, state, 'succeeded') ?? deliver(plan, state) ?? succeed(plan, state);
}

/** `succeeded` only with every check passed on the delivered tree: a later writer makes an earlier verdict stale. */
function reverify(plan: Plan, state: RunState): Command[] | undefined {
  const tree = state.workspace.snapshot?.tree;
  if (tree === undefined) return undefined;
  const stale = plan.steps.find((step) => {
    const now = stepOf(state, step.id);
    if (now.outcome !== 'succeeded' || isMarked(step, now)) return false;
    return judgesTree(plan, step) && now.judgedTree !== tree;
  });
  if (stale === undefined) return undefined;
  const { pass } = stepOf(state, stale.id);
  const reason = 'The tree has changed since its checks were judged.';
  return [{ do: 'emit', event: { type: 'step.reopened', at: state.now, step: stale.id, pass, reason } }];
}

/** D-14: it counts as succeeded whatever its checks say, on this tree as on any other; so it does where it was not attempted. */
function isMarked(step: StepPlan, now: StepState): boolean {
  if (step.continueOn?.markSuccess !== true) return false;
  return now.resultPass !== now.pass || passProblem(step, now) !== undefined;
}

/** Do the verdicts on this step rest on the tree? */
function judgesTree(plan: Plan, step: StepPlan): boolean {
  if (!plan.workspace.worktree) return false;
  return step.checks.some(({ kind }) => kind === 'command' || kind === 'review') || guardsFiles(plan, step);
}

/** B4: the work of an agent that may write is held against the protected files. */
export function guardsFiles(plan: Plan, step: StepPlan): boolean {
  const writes = step.work.kind === 'agent' && !step.readOnly;
  return writes && plan.workspace.worktree && plan.workspace.protect.length > 0;
}

function deliver(plan: Plan, state: RunState): Command[] | undefined {
  const { base, snapshot } = state.workspace;
  const { mode } = plan.deliver;
  if (state.delivery.phase === 'done' || mode === 'none' || base === null || snapshot === null) return undefined;
  if (snapshot.tree !== base.tree) return [{ do: 'deliver' }];
  const delivery = { mode, nothingToDeliver: true };
  return [{ do: 'emit', event: { type: 'delivery.finished', at: state.now, delivery } }];
}

/** D-23: whatever the end, what the next run is to begin with is kept. */
export function keepFiles(plan: Plan, state: RunState): Command[] | undefined {
  const wanted = plan.keepBetweenRuns ?? [];
  if (wanted.length === 0 || state.kept === 'done' || state.workspace.phase !== 'open') return undefined;
  return state.kept === 'running' ? [] : [{ do: 'keepFiles' }];
}

function succeed(plan: Plan, state: RunState): Command[] {
  const done = state.delivery.done;
  const reason =
    done === null
      ? 'Every step passed.'
      : done.nothingToDeliver
        ? 'Every step passed; the tree equals the base, so there is nothing to deliver.'
        : `Every step passed; delivered ${done.branch ?? done.commit ?? done.mode}.`;
  return [conclude(plan, state, { kind: 'succeeded', reason })];
}

/** The end is known and nothing of the run is alive: its handlers begin (D-14) where it has any for it, else it stops. */
export function conclude(plan: Plan, state: RunState, stop: Stop): Command {
  const hasHandlers = handlersFor(plan, stop.kind).length > 0;
  const started = { type: 'handlers.started' as const, at: state.now, stop };
  return { do: 'emit', event: hasHandlers ? started : stopped(plan, state, stop) };
}

/** What the next run begins with is kept before the end, or after the handlers of it. */
export function keptFirst(plan: Plan, state: RunState, kind: StopKind): Command[] | undefined {
  return handlersFor(plan, kind).length > 0 ? undefined : keepFiles(plan, state);
}

/** The end of the run, with what it tells its parent. */
export function stopped(plan: Plan, state: RunState, stop: Stop): RunEventOf<'run.stopped'> {
  const event = { type: 'run.stopped' as const, at: state.now, stop };
  return state.parent === null ? event : { ...event, toParent: toParent(plan, state) };
}

function toParent(plan: Plan, state: RunState): ToParent {
  const output = plan.steps.toReversed().flatMap(({ id }) => stepOf(state, id).result?.output ?? [])[0];
  const outputs = Object.entries(plan.outputs ?? {}).flatMap(([name, step]) => {
    const result = state.steps[step]?.result ?? null;
    return result === null ? [] : [[name, small(result.output)] as const];
  });
  return {
    ...(output === undefined ? {} : { output: small(output) }),
    outputs: Object.fromEntries(outputs),
    spend: since(state.spend, state.toldSpend),
    activeMs: state.activeMs,
  };
}

/** What was not told before: the parent adds it up. */
function since(spend: Spend, told: Spend): Spend {
  return {
    ...spend,
    ...(spend.usd === undefined ? {} : { usd: Math.max(0, spend.usd - (told.usd ?? 0)) }),
    inputTokens: spend.inputTokens - told.inputTokens,
    outputTokens: spend.outputTokens - told.outputTokens,
  };
}

/** The parent's state holds one for each child: the text itself stays in the store. */
function small(output: ArtifactRef): ArtifactRef {
  return { ...output, excerpt: '' };
}
