import type {
  AttemptInput,
  BriefFacts,
  DeliverInput,
  EvaluateInput,
  JudgeInput,
  RenderScope,
} from '#core/contract/activities.ts';
import type { CheckPlan } from '#core/check/check-plan.ts';
import { feedbackFor } from '#core/feedback/route.ts';
import { explainCheck } from '#core/plan/explain-check.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Work } from '#core/run/command.ts';
import { guardsFiles } from '#core/run/finish.ts';
import { planStep, resetSet } from '#core/run/graph.ts';
import { baselineChecks } from '#core/run/next.ts';
import { baselineName } from '#core/run/settle.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';

/** What the law knows beside its state: the run's own inputs, fixed at its start. */
export interface RunFacts {
  plan: Plan;
  inputs: Record<string, string>;
}

type WorkOf<D extends Work['do']> = Extract<Work, { do: D }>;

/** The activity input of an attempt. Taken before `begun(work)` is emitted: starting it changes what it starts from. */
export function attemptInput(facts: RunFacts, state: RunState, work: WorkOf<'attempt'>): AttemptInput {
  const step = planStep(facts.plan, work.step);
  const now = stepOf(state, work.step);
  const { snapshot, dirty } = state.workspace;
  const session = step.work.kind === 'agent' && step.work.agent.session === 'resume' ? now.session : null;
  return {
    key: { runId: state.runId, step: work.step, pass: work.pass, attempt: work.attempt },
    step,
    workspace: workspaceOf(facts, state),
    ...(snapshot === null ? {} : { from: snapshot }),
    restore: dirty && !step.readOnly,
    resume: now.phase === 'resumable',
    ...(session === null ? {} : { session }),
    scope: scopeOf(facts, state, step),
    brief: briefOf(facts.plan, state, step, now),
  };
}

export function judgeInput(facts: RunFacts, state: RunState, work: WorkOf<'judge'>): JudgeInput {
  const step = planStep(facts.plan, work.step);
  const now = stepOf(state, work.step);
  const snapshot = step.readOnly ? now.pinned : state.workspace.snapshot;
  return {
    runId: state.runId,
    step: work.step,
    pass: work.pass,
    round: work.round,
    restore: state.workspace.dirty,
    guard: guardsFiles(facts.plan, work.step),
    checks: step.checks.filter(({ name }) => work.checks.includes(name)).map((check) => readersCheck(step, check)),
    workspace: workspaceOf(facts, state),
    ...(snapshot === null ? {} : { snapshot }),
    scope: scopeOf(facts, state, step),
    env: step.env,
  };
}

/** A reader's checks judge the snapshot that it read, which the workspace may have left behind. */
function readersCheck(step: StepPlan, check: CheckPlan): CheckPlan {
  return step.readOnly && check.kind === 'command' ? { ...check, where: 'commit' } : check;
}

/** The hard checks of every step, once, on the base (B11). */
export function baselineInput(facts: RunFacts, state: RunState): JudgeInput {
  const { base } = state.workspace;
  const checks = baselineChecks(facts.plan).flatMap(({ step, checks: own }): CheckPlan[] =>
    own.map((check) => ({ ...check, name: baselineName(step.id, check.name), needs: 'always' })),
  );
  return {
    runId: state.runId,
    step: '@baseline',
    pass: 0,
    round: 1,
    restore: state.workspace.dirty,
    guard: false,
    checks,
    workspace: workspaceOf(facts, state),
    ...(base === null ? {} : { snapshot: base }),
    scope: { ...scopeOf(facts, state, undefined), feedback: [] },
    env: {},
  };
}

export function evaluateInput(facts: RunFacts, state: RunState, work: WorkOf<'evaluate'>): EvaluateInput {
  const step = planStep(facts.plan, work.step);
  return {
    runId: state.runId,
    step: work.step,
    pass: work.pass,
    purpose: work.purpose,
    condition: conditionOf(step, work.purpose),
    restore: state.workspace.dirty,
    workspace: workspaceOf(facts, state),
    ...(state.workspace.snapshot === null ? {} : { snapshot: state.workspace.snapshot }),
    scope: scopeOf(facts, state, step),
  };
}

export function deliverInput(facts: RunFacts, state: RunState): DeliverInput {
  const { base, snapshot, path } = state.workspace;
  if (base === null || snapshot === null || path === null) {
    throw new TypeError('nothing to deliver from: the law asked for a delivery without a snapshot');
  }
  return {
    runId: state.runId,
    name: facts.plan.name,
    delivery: facts.plan.deliver,
    workspace: { plan: facts.plan.workspace, path, base },
    verified: snapshot,
    atMs: state.startedAt,
    scope: scopeOf(facts, state, undefined),
  };
}

function conditionOf(step: StepPlan, purpose: 'when' | 'repeat') {
  const condition = purpose === 'when' ? step.when?.condition : step.loop?.repeat?.condition;
  if (condition === undefined) throw new TypeError(`step ${step.id} has no ${purpose} condition`);
  return condition;
}

function workspaceOf(facts: RunFacts, state: RunState): AttemptInput['workspace'] {
  const { base, path } = state.workspace;
  const { workspace } = facts.plan;
  return { plan: workspace, path: path ?? workspace.repo, ...(base === null ? {} : { base }) };
}

function scopeOf(facts: RunFacts, state: RunState, step: StepPlan | undefined): RenderScope {
  const now = step === undefined ? undefined : stepOf(state, step.id);
  return {
    inputs: facts.inputs,
    outputs: Object.fromEntries(
      Object.entries(state.steps).flatMap(([id, { result }]) => (result === null ? [] : [[id, result.output]])),
    ),
    feedback: step === undefined || now === undefined ? [] : feedbackFor(step, state, now),
    iteration: now === undefined ? 0 : reentries(now),
    run: { id: state.runId, name: facts.plan.name },
  };
}

/** V-21: how often the step was re-entered; loops that reset it before it had ever begun do not count. */
function reentries(now: StepState): number {
  return Math.max(0, now.attempt === 0 ? now.begun : now.begun - 1);
}

/** C9: the agent is told pass n of N, the checks in plain words, its remaining time and spend. */
function briefOf(plan: Plan, state: RunState, step: StepPlan, now: StepState): BriefFacts {
  const limit = passLimit(plan, state, step);
  const { timeSeconds, spendUsd } = plan.limits;
  return {
    pass: now.pass,
    passLimit: limit,
    checks: judgesOf(plan, step),
    ...(timeSeconds === undefined ? {} : { remainingSeconds: Math.max(0, timeSeconds - state.activeMs / 1000) }),
    ...(spendUsd === undefined ? {} : { remainingUsd: Math.max(0, spendUsd - (state.spend.usd ?? 0)) }),
  };
}

/** The last pass that the loops over this step still allow (pass n of N); `null` when one of them is unlimited. */
function passLimit(plan: Plan, state: RunState, step: StepPlan): number | null {
  const left = plan.steps.flatMap(({ id, loop }) => {
    if (loop === undefined || !resetSet(plan, id, loop.to).includes(step.id)) return [];
    return [loop.limit === null ? null : Math.max(0, loop.limit - stepOf(state, id).loops)];
  });
  if (left.includes(null)) return null;
  return left.reduce<number>((sum, passes) => sum + (passes ?? 0), stepOf(state, step.id).pass);
}

/** What decides about this step's work: its own checks, and the commands and checks of the steps that loop back to it. */
function judgesOf(plan: Plan, step: StepPlan): BriefFacts['checks'] {
  return plan.steps.flatMap((other) => {
    const loopsBack = other.loop?.to === step.id;
    if (other.id !== step.id && !loopsBack) return [];
    const own = other.checks.map((check) => ({ name: check.name, sentence: `${explainCheck(check)}.` }));
    if (other.id === step.id || other.work.kind !== 'run') return own;
    return [{ name: other.name, sentence: `\`${other.work.command}\` exits 0.` }, ...own];
  });
}
