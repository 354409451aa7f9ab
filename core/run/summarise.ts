import type { Plan } from '#core/plan/plan.ts';
import { isBusy, type RunState, type StepState } from '#core/run/state.ts';
import type { RunStatus, RunSummary } from '#core/run/summary.ts';

/** What lists show of a run (E2): status, why it does not move and what clears it. `seq` is the last event folded in. */
export function summarise(plan: Plan, state: RunState, seq: number): RunSummary {
  const done = state.delivery.done;
  const begun = Object.values(state.steps).map((step) => step.begun);
  return {
    ...standing(plan, state),
    ...(state.stop === null ? {} : { stop: state.stop }),
    passes: Math.max(0, ...begun),
    spendUsd: state.spend.usd ?? 0,
    ...(done?.commit === undefined ? {} : { commit: done.commit }),
    ...(done?.branch === undefined ? {} : { branch: done.branch }),
    ...deliveryOf(plan, state),
    ...(state.workspace.hostId === null ? {} : { hostId: state.workspace.hostId }),
    seq,
  };
}

/** What became of the verified result: of a success always told, `none` where the plan delivers nothing. */
function deliveryOf(plan: Plan, state: RunState): Pick<RunSummary, 'delivery'> {
  const { done } = state.delivery;
  if (done !== null) return { delivery: done.nothingToDeliver ? 'nothing_to_deliver' : done.mode };
  return state.stop?.kind === 'succeeded' ? { delivery: plan.deliver.mode } : {};
}

interface Standing {
  status: RunStatus;
  why?: string;
  remedy?: string;
}

function standing(plan: Plan, state: RunState): Standing {
  if (state.stop !== null) return { status: 'ended' };
  if (state.paused !== null) return { status: 'paused', why: state.paused.reason, remedy: state.paused.remedy };
  if (state.ending !== null) return { status: 'running', why: `It is ending: ${state.ending.reason}` };
  if (state.workspace.phase === 'opening') {
    return { status: 'queued', why: 'It waits for a host with a free slot to open its workspace.' };
  }
  if (!isBusy(state)) return waiting(plan, state) ?? { status: 'running' };
  return { status: 'running' };
}

/** A durable wait: the provider's window, a retry's or a loop's interval. */
function waiting(plan: Plan, state: RunState): Standing | undefined {
  const waits = plan.steps.flatMap(({ id, name }) => {
    const step = state.steps[id];
    const until = step?.notBefore ?? null;
    return step !== undefined && until !== null && until > state.now ? [{ name, until, step }] : [];
  });
  const first = waits.toSorted((a, b) => a.until - b.until)[0];
  if (first === undefined) return undefined;
  const seconds = Math.ceil((first.until - state.now) / 1000);
  return { status: 'waiting', why: `Step "${first.name}" waits ${seconds} s for ${causeOf(first.step)}.` };
}

function causeOf({ interruptedBy, reason, waits }: StepState): string {
  if (interruptedBy !== null && reason !== null) return `what interrupted it: ${reason}`;
  return waits > 0 ? "the provider's usage window" : 'its interval';
}
