import type { RunMessage } from '#core/contract/seat.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { RaisedLimits, Remark } from '#core/run/event.ts';
import { tasksOf } from '#core/run/apply-task.ts';
import { planNow } from '#core/run/plan-now.ts';
import type { RunState } from '#core/run/state.ts';
import type { Decision, DecisionKind } from '#core/task/question.ts';

import type { Draw } from './world.ts';

interface Drawn {
  draw: Draw;
  id: string;
}

/** Anything that somebody may say to a run at any time; much of it is refused. */
export function drawMessage(plan: Plan, state: RunState, { draw, id }: Drawn): RunMessage | undefined {
  const step = drawStep(plan, draw);
  const sent = { id, by: `p${draw(3)}` };
  switch (draw(14)) {
    case 0:
      return draw(3) === 0 ? { kind: 'cancel', ...sent, reason: 'drawn' } : undefined;
    case 1:
      return drawRetry(plan, { draw, id });
    case 2:
    case 3:
    case 4:
      return { kind: 'pause', ...sent };
    case 5:
      return { kind: 'resume', ...sent };
    case 6:
      return { kind: 'raise', ...sent, limits: drawLimits(plan, state, draw) };
    case 7:
    case 8:
      return { kind: 'edit', ...sent, plan: edited(state.plan ?? plan, draw) };
    case 9:
      return { kind: 'pushBack', ...sent, step: finished(state, draw) ?? step, remark };
    case 10:
      return { kind: 'hold', ...sent, source: 'label' };
    case 11:
      return { kind: 'release', ...sent, source: 'label' };
    default:
      return drawDecision(state, { draw, id });
  }
}

export function drawRetry(plan: Plan, { draw, id }: Drawn): RunMessage {
  const sent = { kind: 'retry' as const, id, by: 'p0' };
  switch (draw(3)) {
    case 0:
      return sent;
    case 1:
      return { ...sent, from: drawStep(plan, draw) };
    default:
      return { ...sent, only: drawStep(plan, draw) };
  }
}

function finished(state: RunState, draw: Draw): string | undefined {
  const done = Object.entries(state.steps).flatMap(([id, { phase }]) => (phase === 'done' ? [id] : []));
  return done[draw(done.length)];
}

/** What moves a run that stands still: its question is answered, its pause or its hold ends. */
export function mover(plan: Plan, state: RunState, { draw, id }: Drawn): RunMessage | undefined {
  const decision = drawDecision(state, { draw, id });
  if (decision !== undefined) return decision;
  if (state.held[0] !== undefined) return { kind: 'release', id, source: state.held[0] };
  if (state.paused === null || draw(4) === 0) return undefined;
  const isLimit = state.paused.code !== 'person' && draw(3) > 0;
  return isLimit ? { kind: 'raise', id, limits: drawLimits(plan, state, draw) } : { kind: 'resume', id };
}

const remark: Remark = { by: 'p0', comment: 'again', text: { sha256: 'again', bytes: 1, excerpt: '' } };

function drawStep(plan: Plan, draw: Draw): string {
  return plan.steps[draw(plan.steps.length)]?.id ?? 's0';
}

/** On any question that was ever asked, as it stands or as it stood. */
function drawDecision(state: RunState, { draw, id }: Drawn): RunMessage | undefined {
  const tasks = tasksOf(state);
  const open = tasks.filter(({ task }) => task.status === 'open');
  const from = open.length > 0 && draw(8) > 0 ? open : tasks;
  const picked = from[draw(from.length)]?.task;
  if (picked === undefined) return undefined;
  const kinds: DecisionKind[] = ['approve', 'approve', 'approve', 'reject', 'push_back'];
  const kind = kinds[draw(kinds.length)] ?? 'approve';
  const by = `p${draw(3)}`;
  const { backTo } = picked.question;
  const to = kind === 'push_back' && draw(2) === 0 ? backTo[draw(backTo.length)] : undefined;
  const decision: Decision = {
    kind,
    by,
    comment: 'drawn',
    text: { sha256: `${by}-${kind}`, bytes: 1, excerpt: '' },
    digest: `${by}-${kind}-${to ?? ''}`,
    ...(to === undefined ? {} : { to }),
  };
  const revision = draw(10) === 0 ? picked.revision - 1 : picked.revision;
  return { kind: 'decide', id, by, task: picked.id, revision, decision };
}

function drawLimits(plan: Plan, state: RunState, draw: Draw): RaisedLimits {
  const { timeSeconds, deadlineSeconds, spendUsd } = planNow(plan, state).limits;
  switch (draw(4)) {
    case 0:
      return { passes: 2 + draw(6), ...(draw(2) === 0 ? {} : { step: drawStep(plan, draw) }) };
    case 1:
      return timeSeconds === undefined ? { timeSeconds: 10 } : { timeSeconds: timeSeconds + 20 };
    case 2:
      return { deadlineSeconds: (deadlineSeconds ?? 0) + 60 };
    default:
      return { spendUsd: (spendUsd ?? 0) + 1 };
  }
}

/** What an edit may change. */
function edited(plan: Plan, draw: Draw): Plan {
  const only = draw(plan.steps.length);
  return { ...plan, steps: plan.steps.map((step, index) => (index === only ? editedStep(step, draw) : step)) };
}

function editedStep(step: StepPlan, draw: Draw): StepPlan {
  switch (draw(4)) {
    case 0:
      return { ...step, checks: step.checks.slice(1) };
    case 1:
      return step.loop === undefined ? step : { ...step, loop: { ...step.loop, limit: draw(4) } };
    case 2: {
      const { loop: _loop, ...rest } = step;
      return rest;
    }
    default:
      return step.work.kind === 'agent'
        ? { ...step, work: { ...step.work, prompt: `Do it, ${draw(100)}.` } }
        : { ...step, continueOnError: draw(2) === 0 };
  }
}
