import type {
  ChildLimits,
  CollectInput,
  ExpandInput,
  KeepFilesInput,
  OpenTaskInput,
  OpenWorkspaceInput,
  ReviewInput,
  StartChildInput,
} from '#core/contract/activities.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Work } from '#core/run/command.ts';
import { callOf } from '#core/run/decide-call.ts';
import type { ParentRef } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { type RunState, stepOf } from '#core/run/state.ts';
import { factsNow, type RunFacts, scopeOf, workspaceOf } from '#core/run/work-scope.ts';

type WorkOf<D extends Work['do']> = Extract<Work, { do: D }>;

/** A run that was forked opens at the base of the first one, whatever HEAD is by now. */
export function openWorkspaceInput(original: RunFacts, state: RunState): OpenWorkspaceInput {
  const { plan } = factsNow(original, state);
  const base = state.workspace.base?.commit ?? plan.workspace.base;
  const { snapshot } = state.workspace;
  const { project, name, keepBetweenRuns: globs } = plan;
  const kept = state.workspace.artifacts?.kept;
  return {
    runId: state.runId,
    workspace: { ...plan.workspace, ...(base === undefined ? {} : { base }) },
    ...(snapshot === null ? {} : { snapshot: snapshot.commit }),
    ...(globs === undefined ? {} : { kept: { project, name, globs } }),
    ...(plan.artifacts === true ? { artifacts: present({ kept }) } : {}),
  };
}

export function keepFilesInput(original: RunFacts, state: RunState): KeepFilesInput {
  const facts = factsNow(original, state);
  const { project, name, keepBetweenRuns = [] } = facts.plan;
  const { plan, path } = workspaceOf(facts, state);
  return { runId: state.runId, project, name, globs: keepBetweenRuns, workspace: { plan, path } };
}

export function reviewInput(original: RunFacts, state: RunState, work: WorkOf<'review'>): ReviewInput {
  const facts = factsNow(original, state);
  const step = planStep(facts.plan, work.step);
  const now = stepOf(state, work.step);
  const check = step.checks.find(({ name }) => name === work.check);
  if (check?.kind !== 'review') throw new TypeError(`step ${step.id} has no review ${work.check}`);
  const snapshot = step.readOnly ? now.pinned : state.workspace.snapshot;
  const { runId } = state;
  return {
    runId,
    step: work.step,
    pass: work.pass,
    round: work.round,
    check,
    goal: goalOf(step),
    workspace: workspaceOf(facts, state),
    ...(snapshot === null ? {} : { snapshot }),
    checked: now.verdicts.map(({ check: name, verdict }) => {
      return { check: name, kind: verdict.kind, summary: verdict.evidence.summary };
    }),
    ...(now.result?.agent === undefined ? {} : { implementer: now.result.agent }),
    scope: scopeOf(facts, state, step),
    env: step.env,
    secrets: step.secrets,
  };
}

function goalOf({ work, name }: StepPlan): string {
  switch (work.kind) {
    case 'agent':
      return work.prompt;
    case 'run':
      return work.command;
    case 'person':
    case 'call':
      return name;
    default:
      return unreachable(work);
  }
}

export function openTaskInput(original: RunFacts, state: RunState, work: WorkOf<'openTask'>): OpenTaskInput {
  const facts = factsNow(original, state);
  const step = planStep(facts.plan, work.step);
  if (step.work.kind !== 'person') throw new TypeError(`step ${step.id} asks nobody`);
  return {
    runId: state.runId,
    step: work.step,
    pass: work.pass,
    person: step.work,
    workspace: workspaceOf(facts, state),
    ...(state.workspace.snapshot === null ? {} : { snapshot: state.workspace.snapshot }),
    scope: scopeOf(facts, state, step),
  };
}

export function expandInput(original: RunFacts, state: RunState, work: WorkOf<'expand'>): ExpandInput {
  const facts = factsNow(original, state);
  const step = planStep(facts.plan, work.step);
  const { list = '', split } = callOf(step).each ?? {};
  const how = split === undefined ? {} : { split };
  return { runId: state.runId, step: work.step, list, ...how, scope: scopeOf(facts, state, step) };
}

export function startChildInput(original: RunFacts, state: RunState, work: WorkOf<'startChild'>): StartChildInput {
  const facts = factsNow(original, state);
  const step = planStep(facts.plan, work.step);
  const { definition, inputs } = callOf(step);
  const plan = facts.plan.children?.[definition];
  if (plan === undefined) throw new TypeError(`the plan holds no ${definition}, which step ${step.id} calls`);
  const { path, base } = workspaceOf(facts, state);
  const at = state.workspace.snapshot?.commit ?? base?.commit;
  const text = stepOf(state, work.step).call?.items[work.index] ?? '';
  return {
    parent: placeOf(state, work, plan),
    plan,
    limits: childLimits(facts.plan, state, step),
    inputs,
    scope: { ...scopeOf(facts, state, step), item: { text, index: work.index } },
    workspace: { repo: facts.plan.workspace.repo, path, ...(at === undefined ? {} : { base: at }) },
    ...(original.priority === undefined ? {} : { priority: original.priority }),
  };
}

function placeOf(state: RunState, { step, pass, index }: WorkOf<'startChild'>, child: Plan): ParentRef {
  const { attempt } = stepOf(state, step);
  const { queue } = state.workspace;
  const isNear = child.workspace.repo === defaults.repo && queue !== null;
  const again = attempt > 1 ? { attempt } : {};
  return { runId: state.runId, step, pass, index, ...again, ...(isNear ? { queue } : {}) };
}

/** A child's limits are at most what is left of the run's; money is shared among those that run side by side. */
function childLimits(plan: Plan, state: RunState, step: StepPlan): ChildLimits {
  const { timeSeconds, deadlineSeconds, spendUsd } = plan.limits;
  const sideBySide = callOf(step).each?.max ?? 1;
  const left = timeSeconds === undefined ? step.timeSeconds : timeSeconds - state.activeMs / 1000;
  return {
    timeSeconds: Math.max(1, Math.min(left, step.timeSeconds)),
    ...(deadlineSeconds === undefined
      ? {}
      : { deadlineSeconds: Math.max(1, deadlineSeconds - (state.now - state.countedFrom) / 1000) }),
    ...(spendUsd === undefined ? {} : { spendUsd: Math.max(0.01, spendUsd - (state.spend.usd ?? 0)) / sideBySide }),
  };
}

export function collectInput(original: RunFacts, state: RunState, work: WorkOf<'collect'>): CollectInput {
  const step = planStep(factsNow(original, state).plan, work.step);
  const { call } = stepOf(state, work.step);
  const children = (call?.children ?? []).flatMap(({ index, runId, settled }) => {
    if (settled === null) return [];
    const { stop, toParent } = settled;
    const output = toParent.output === undefined ? {} : { output: toParent.output };
    return [{ item: call?.items[index] ?? '', runId, stop, ...output }];
  });
  const { pass, attempt } = work;
  return { runId: state.runId, step: step.id, pass, attempt, list: callOf(step).each !== undefined, children };
}
