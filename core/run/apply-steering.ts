import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { isHandler } from '#core/plan/handlers.ts';
import type { Plan } from '#core/plan/plan.ts';
import { raisedPlan, raisedStep } from '#core/plan/raise.ts';
import { unreachable } from '#core/exhaustive.ts';
import { withSteps } from '#core/run/apply-attempt.ts';
import { causeOf } from '#core/run/cause.ts';
import type { Remark, RunEventOf } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { isMidPass } from '#core/run/workspace-lock.ts';
import { withMessage } from '#core/run/messages.ts';
import { nextPass, recounted } from '#core/run/next-pass.ts';
import { planNow } from '#core/run/plan-now.ts';
import { initialStep, noSpend, type RunState, type StepState, stepOf } from '#core/run/state.ts';

type SteeringEvent = RunEventOf<
  'run.resumed' | 'run.raised' | 'run.edited' | 'run.held' | 'run.released' | 'run.forked' | 'step.pushed_back'
>;

/** Folds what people do to a run (E3, E8, E-19). `plan` is the one that counts before the event. */
export function applySteering(plan: Plan, state: RunState, event: SteeringEvent): RunState {
  switch (event.type) {
    case 'run.resumed':
      return withMessage(resume(state), event.messageId);
    case 'run.raised':
      return withMessage(raise(state.plan ?? plan, state, event), event.messageId);
    case 'run.edited':
      return withMessage(edit(plan, state, event), event.messageId);
    case 'run.held':
      return withMessage(switched(state, event, [...state.held, event.source]), event.messageId);
    case 'run.released':
      return withMessage(
        switched(
          state,
          event,
          state.held.filter((source) => source !== event.source),
        ),
        event.messageId,
      );
    case 'run.forked':
      return fork(plan, state, event);
    case 'step.pushed_back':
      return withMessage(pushBack(state, event), event.messageId);
    default:
      return unreachable(event);
  }
}

function switched(
  state: RunState,
  { source, switched: count }: RunEventOf<'run.held' | 'run.released'>,
  held: readonly string[],
): RunState {
  const switches = count === undefined ? state.switches : { ...state.switches, [source]: count };
  return { ...state, held: [...new Set(held)], switches };
}

/** What could not be judged is asked again; a pattern that was mended is judged on the next pass. */
function resume(state: RunState): RunState {
  const { paused } = state;
  const steps = Object.entries(state.steps).map(([id, step]) => [id, resumed(step, paused?.code)] as const);
  const redBase = paused?.code === 'check_error' && state.baseline.verdicts.some(({ verdict }) => isError(verdict));
  return {
    ...state,
    paused: null,
    steps: Object.fromEntries(steps),
    baseline: redBase ? { phase: 'due', verdicts: [] } : state.baseline,
  };
}

function isError({ kind }: { kind: string }): boolean {
  return kind === 'error';
}

function resumed(step: StepState, code: string | undefined): StepState {
  if (step.phase === 'done' || step.phase === 'idle') return { ...step, conditionErrors: 0 };
  if (code === 'match_error' && step.phase === 'attempted' && step.result?.match?.kind === 'error')
    return nextPass(step);
  const repeat = step.repeat?.kind === 'error' ? null : step.repeat;
  return { ...step, checkErrors: 0, conditionErrors: 0, repeat };
}

/** Counts at once, in the step of a pass under way too; the pause whose cause it clears ends. */
function raise(plan: Plan, state: RunState, event: RunEventOf<'run.raised'>): RunState {
  const { limits, remark } = event;
  const steps = Object.entries(state.steps).map(([id, step]) => {
    const planned = step.planned === null ? null : raisedStep(step.planned, limits);
    return [id, { ...step, planned }] as const;
  });
  const raised = { ...state, plan: raisedPlan(plan, limits), steps: Object.fromEntries(steps) };
  const told = remark === undefined ? raised : withRemark(raised, remark);
  const isCleared = told.paused !== null && isLimit(told.paused.code) && causeOf(planNow(plan, told), told) === null;
  return isCleared ? { ...told, paused: null } : told;
}

function isLimit(code: string): boolean {
  return code === 'exhausted' || code === 'timed_out' || code === 'over_budget';
}

/** For the next pass of the step that is asked about; where time or money ran out, of every step that is not done. */
function withRemark(state: RunState, remark: Remark): RunState {
  const about = state.paused?.step ?? null;
  const steps = Object.entries(state.steps).map(([id, step]) => {
    if (about === null ? step.phase === 'done' : id !== about) return [id, step] as const;
    const entry = remarkOf(id, step.pass, remark);
    // A pass that has not begun is the next one.
    const isNext = !isMidPass(step) && step.busy === null;
    const told = isNext ? { feedback: [...step.feedback, entry] } : { remarks: [...step.remarks, entry] };
    return [id, { ...step, ...told }] as const;
  });
  return { ...state, steps: Object.fromEntries(steps) };
}

/** What a person said, as it is routed to the next pass (C9, D3). */
export function remarkOf(step: string, pass: number, { by, comment, text }: Remark): FeedbackEntry {
  return { step, pass, by, verdict: 'fail', summary: comment, text, stale: false, baseline: false };
}

/**
 * E3: a pass that has begun is judged by the plan under which it began. Whether there is a next one is for the new plan to
 * say: its loops and limits count from here on.
 */
function edit(before: Plan, state: RunState, event: RunEventOf<'run.edited'>): RunState {
  const steps = Object.entries(state.steps).map(([id, step]) => {
    const fresh = { ...step, streaks: {} };
    if (!isMidPass(step) && step.busy === null && step.phase !== 'done')
      return [id, { ...fresh, planned: null }] as const;
    const { loop: _loop, ...begun } = planStep(before, id);
    const { loop } = planStep(event.plan, id);
    return [id, { ...fresh, planned: { ...begun, ...(loop === undefined ? {} : { loop }) } }] as const;
  });
  return { ...state, revision: event.revision, plan: event.plan, steps: Object.fromEntries(steps) };
}

/** E8: another run goes on from here; nothing that the first one spent, or had under way, is its own. */
function fork(plan: Plan, state: RunState, event: RunEventOf<'run.forked'>): RunState {
  const steps = Object.entries(state.steps).map(
    ([id, step]) => [id, isHandler(plan, id) ? initialStep : forked(step)] as const,
  );
  return {
    ...state,
    runId: event.runId,
    startedAt: event.at,
    countedFrom: event.at,
    activeMs: 0,
    spend: noSpend,
    // Its snapshot is on the first run's host, so that is where its workspace is opened.
    workspace: { ...state.workspace, phase: 'none', path: null, dirty: true },
    baseline: state.baseline.phase === 'running' ? { ...state.baseline, phase: 'due' } : state.baseline,
    steps: Object.fromEntries(steps),
    paused: null,
    question: null,
    held: event.held ?? [],
    switches: {},
    plan: state.plan === null || event.name === undefined ? state.plan : { ...state.plan, name: event.name },
    parent: null,
    kept: 'due',
    ending: null,
    handling: null,
    delivery: { phase: 'none', done: null },
    messages: [],
    stop: null,
  };
}

/** What was under way there begins again here; a question is asked again, a call made again. */
function forked(step: StepState): StepState {
  const { busy: _busy, ...rest } = recounted(step);
  const idle: StepState = { ...rest, busy: null, task: null, strays: [] };
  const isUnderWay = step.busy !== null || step.phase === 'asking' || step.phase === 'calling';
  if (!isUnderWay || step.phase === 'attempted' || step.phase === 'judged') return idle;
  return { ...idle, phase: initialStep.phase, call: null };
}

function pushBack(state: RunState, event: RunEventOf<'step.pushed_back'>): RunState {
  const entry = remarkOf(event.step, event.pass, event.remark);
  return withSteps(state, event.reset, (id) => {
    const step = stepOf(state, id);
    return { ...nextPass(recounted(step)), feedback: step.begun === 0 ? [] : [entry] };
  });
}
