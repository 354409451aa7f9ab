import { unreachable } from '#core/exhaustive.ts';
import { busyWith, isStale, withSpend, withStep } from '#core/run/apply-attempt.ts';
import type { RunEventOf } from '#core/run/event.ts';
import { withMessage } from '#core/run/messages.ts';
import { withStrays } from '#core/run/next-pass.ts';
import { type ChildState, type RunState, type StepState, type StrayChild, stepOf } from '#core/run/state.ts';

type CallEvent = RunEventOf<
  | 'list.expanding'
  | 'call.begun'
  | 'call.failed'
  | 'call.collecting'
  | 'child.starting'
  | 'child.started'
  | 'child.settled'
  | 'child.cancelling'
  | 'child.told'
>;

/** Folds what concerns calls and their child runs. */
export function applyCall(state: RunState, event: CallEvent): RunState {
  const step = stepOf(state, event.step);
  switch (event.type) {
    case 'list.expanding':
      return withStep(state, event.step, { busy: busyWith('list', event.pass, step.attempt) });
    case 'call.begun':
      return begin(state, event);
    case 'call.failed':
      return withStep(state, event.step, { busy: null });
    case 'call.collecting':
      return withStep(state, event.step, { busy: busyWith('collect', event.pass, event.attempt) });
    case 'child.starting':
      return withStep(state, event.step, { busy: busyWith('child', event.pass, step.attempt) });
    case 'child.started':
      return started(state, event);
    case 'child.settled':
      return withMessage(settle(state, event), event.messageId);
    case 'child.cancelling':
      return withStep(state, event.step, { strays: told(step.strays, event.runId, 'telling') });
    case 'child.told':
      return withStep(state, event.step, { strays: told(step.strays, event.runId, 'yes') });
    default:
      return unreachable(event);
  }
}

/** The run is ending: every child that is alive is to be cancelled. */
export function withoutCalls(state: RunState): RunState {
  const steps = Object.entries(state.steps).map(([id, step]) => {
    if (step.call === null) return [id, step] as const;
    return [id, { ...step, strays: withStrays(step), call: { ...step.call, children: [] } }] as const;
  });
  return { ...state, steps: Object.fromEntries(steps) };
}

function begin(state: RunState, event: RunEventOf<'call.begun'>): RunState {
  const step = stepOf(state, event.step);
  if (isStale(step, event.pass)) return withStep(state, event.step, { busy: null });
  return withStep(state, event.step, {
    phase: 'calling',
    busy: null,
    attempt: event.attempt,
    begun: step.begun + (event.attempt === 1 ? 1 : 0),
    notBefore: null,
    reason: null,
    verdicts: [],
    round: 0,
    checkErrors: 0,
    judgedFingerprint: '',
    repeat: null,
    call: { items: event.items, children: [], begunAt: event.at, countedTo: event.at },
  });
}

function started(state: RunState, event: RunEventOf<'child.started'>): RunState {
  const { pass, call, strays, early } = stepOf(state, event.step);
  if (early.includes(event.runId)) {
    return withStep(state, event.step, { busy: null, early: early.filter((runId) => runId !== event.runId) });
  }
  if (event.pass !== pass || call === null || state.ending !== null) {
    return withStep(state, event.step, { busy: null, strays: [...strays, { runId: event.runId, told: 'no' }] });
  }
  const child: ChildState = { index: event.index, runId: event.runId, settled: null };
  return withStep(state, event.step, { busy: null, call: { ...call, children: [...call.children, child] } });
}

/** Its spend always counts; its result only in the pass that called it (C4). */
function settle(state: RunState, event: RunEventOf<'child.settled'>): RunState {
  const spent = withSpend(state, event.toParent.spend);
  const step = stepOf(spent, event.step);
  const strays = step.strays.filter(({ runId }) => runId !== event.runId);
  const isStray = strays.length < step.strays.length;
  const { call } = step;
  // One that was retried since has ended once more: the call has its result, and only the spend is news.
  if (call?.children.some(({ runId, settled }) => runId === event.runId && settled !== null) === true) return spent;
  const isKnown = isStray || call?.children.some(({ runId }) => runId === event.runId) === true;
  // A quick child can have told its end before its start was answered.
  const early = !isKnown && step.busy?.work === 'child' ? [...step.early, event.runId] : step.early;
  if (event.pass !== step.pass || call === null || isStray) return withStep(spent, event.step, { strays, early });
  const { stop, index, runId } = event;
  // Only a call without a list has outputs by name: those of a thousand children would be most of a state.
  const toParent = call.items.length > 1 ? { ...event.toParent, outputs: {} } : event.toParent;
  const others = call.children.filter((child) => child.index !== index);
  const children = [...others, { index, runId, settled: { stop, toParent } }].toSorted((a, b) => a.index - b.index);
  const counted = withStep(spent, event.step, { early, call: { ...call, children, countedTo: event.at } });
  // Children side by side work at the same time: no more counts than has passed (E10).
  const active = Math.min(toParent.activeMs, Math.max(0, event.at - call.countedTo));
  return { ...counted, activeMs: counted.activeMs + active };
}

function told(strays: StepState['strays'], runId: string, now: StrayChild['told']): StepState['strays'] {
  return strays.map((stray) => (stray.runId === runId ? { ...stray, told: now } : stray));
}
