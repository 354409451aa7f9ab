import { handlersFor } from '#core/plan/handlers.ts';
import type { Plan } from '#core/plan/plan.ts';
import { tasksOf } from '#core/run/apply-task.ts';
import { planNow } from '#core/run/plan-now.ts';
import type { PauseCode } from '#core/run/run-codes.ts';
import { type Handling, isBusy, type RunState, type StepState } from '#core/run/state.ts';
import type { RunSummary } from '#core/run/summary.ts';
import type { TaskState } from '#core/task/task.ts';

/** What lists show of a run (E2): status, why it does not move and what clears it. `seq` is the last event folded in. */
export function summarise(original: Plan, state: RunState, seq: number): RunSummary {
  const plan = planNow(original, state);
  const done = state.delivery.done;
  const begun = plan.steps.map(({ id }) => state.steps[id]?.begun ?? 0);
  return {
    ...standing(plan, state),
    ...(state.stop === null ? {} : { stop: state.stop }),
    passes: Math.max(0, ...begun),
    spendUsd: Math.round((state.spend.usd ?? 0) * 1e6) / 1e6,
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

type Standing = Pick<RunSummary, 'status' | 'why' | 'remedy' | 'task'>;

function standing(plan: Plan, state: RunState): Standing {
  if (state.stop !== null) return { status: 'ended' };
  if (state.paused !== null) return whilePaused(state, state.paused);
  if (state.handling !== null) return { status: 'running', why: handled(plan, state, state.handling) };
  if (state.ending !== null) return { status: 'running', why: `It is ending: ${state.ending.reason}` };
  if (state.workspace.phase === 'opening') return { status: 'queued', why: whyUnopened(state) };
  if (isBusy(state)) return { status: 'running' };
  const open = tasksOf(state).flatMap(({ task }) => (task.status === 'open' ? [task] : []));
  return asking(open) ?? held(state) ?? waiting(plan, state) ?? calling(plan, state) ?? { status: 'running' };
}

/** D-14. */
function handled(plan: Plan, state: RunState, { stop }: Handling): string {
  const now = handlersFor(plan, stop.kind).find(({ id }) => state.steps[id]?.phase !== 'done');
  const which = now === undefined ? 'Its handlers have run' : `Its handler "${now.name}" runs`;
  return `${which}; it is ending: ${stop.reason}`;
}

function whyUnopened({ workspace }: RunState): string {
  if (workspace.hostId === null) return 'It waits for a host with a free slot to open its workspace.';
  return `It waits for a free slot of the host ${workspace.hostId}, which has the snapshot that it was forked from.`;
}

function whilePaused(state: RunState, paused: NonNullable<RunState['paused']>): Standing {
  // Another question may be open, but only this one's answer lets the run go on.
  if (paused.ask && state.question?.status === 'open') return waitingFor(state.question, 0);
  const winding = paused.code === ('person' satisfies PauseCode) && isBusy(state);
  const why = winding ? `${paused.reason} What is under way ends first.` : paused.reason;
  return { status: 'paused', why, remedy: paused.remedy };
}

/** It waits for a person: the oldest open question. */
function asking(open: readonly TaskState[]): Standing | undefined {
  const first = open.toSorted((a, b) => a.openedAt - b.openedAt)[0];
  return first === undefined ? undefined : waitingFor(first, open.length - 1);
}

function waitingFor({ id, question }: TaskState, others: number): Standing {
  const more = others === 0 ? '' : ` (and ${others} more)`;
  const why = `It waits for a person: ${excerptOf(question.ask.text)}${more}`;
  return { status: 'waiting', why, remedy: `setpoint approve ${id}`, task: id };
}

const longestAsk = 200;

function excerptOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > longestAsk ? `${line.slice(0, longestAsk - 1)}…` : line;
}

/** E-19: no new pass begins while one of its sources is off. */
function held({ held: sources }: RunState): Standing | undefined {
  const source = sources[0];
  if (source === undefined) return undefined;
  return { status: 'queued', why: `Its source "${source}" is switched off.`, remedy: `setpoint source on ${source}` };
}

function calling(plan: Plan, state: RunState): Standing | undefined {
  for (const { id, name } of plan.steps) {
    const { call = null, strays = [] } = state.steps[id] ?? {};
    const child = call?.children.find(({ settled }) => settled === null);
    if (child !== undefined) return childOf(child.runId, `Step "${name}" waits for its child run ${child.runId}.`);
    const [stray] = strays;
    if (stray !== undefined) return childOf(stray.runId, `The child run ${stray.runId} is being cancelled.`);
  }
  return undefined;
}

function childOf(runId: string, why: string): Standing {
  return { status: 'waiting', why, remedy: `setpoint show ${runId}` };
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
