import type { Plan } from '#core/plan/plan.ts';
import type { Command } from '#core/run/command.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

/**
 * Once every step is done: what was judged on another tree is judged again, then the verified tree is delivered, then
 * the run has succeeded (E1, G2). `undefined` while a step is not done.
 */
export function finish(plan: Plan, state: RunState): Command[] | undefined {
  if (plan.steps.some(({ id }) => stepOf(state, id).phase !== 'done')) return undefined;
  return reverify(plan, state) ?? deliver(plan, state) ?? succeed(state);
}

/** `succeeded` only with every check passed on the delivered tree: a later writer makes an earlier verdict stale. */
function reverify(plan: Plan, state: RunState): Command[] | undefined {
  const tree = state.workspace.snapshot?.tree;
  if (tree === undefined) return undefined;
  const stale = plan.steps.find((step) => {
    const { outcome, judgedTree } = stepOf(state, step.id);
    return outcome === 'succeeded' && judgesTree(plan, step.id) && judgedTree !== tree;
  });
  if (stale === undefined) return undefined;
  const { pass } = stepOf(state, stale.id);
  const reason = 'The tree has changed since its checks were judged.';
  return [{ do: 'emit', event: { type: 'step.reopened', at: state.now, step: stale.id, pass, reason } }];
}

/** Do the verdicts on this step rest on the tree? */
export function judgesTree(plan: Plan, id: string): boolean {
  const step = plan.steps.find((candidate) => candidate.id === id);
  if (step === undefined || !plan.workspace.worktree) return false;
  return step.checks.some((check) => check.kind === 'command') || guardsFiles(plan, id);
}

/** B4: the work of an agent that may write is held against the protected files. */
export function guardsFiles(plan: Plan, id: string): boolean {
  const step = plan.steps.find((candidate) => candidate.id === id);
  const writes = step !== undefined && step.work.kind === 'agent' && !step.readOnly;
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

function succeed(state: RunState): Command[] {
  const done = state.delivery.done;
  const reason =
    done === null
      ? 'Every step passed.'
      : done.nothingToDeliver
        ? 'Every step passed; the tree equals the base, so there is nothing to deliver.'
        : `Every step passed; delivered ${done.branch ?? done.commit ?? done.mode}.`;
  return [{ do: 'emit', event: { type: 'run.stopped', at: state.now, stop: { kind: 'succeeded', reason } } }];
}
