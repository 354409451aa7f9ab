import type { AttemptInput, BriefFacts, DeliverInput, EvaluateInput, JudgeInput } from '#core/contract/activities.ts';
import type { BaseFinding } from '#core/check/inherited.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { CheckPlan, HardCheck } from '#core/check/check-plan.ts';
import { present } from '#core/definition/present.ts';
import { explainCheck } from '#core/plan/explain-check.ts';
import { handlersFor } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { Work } from '#core/run/command.ts';
import { guardsFiles } from '#core/run/finish.ts';
import { planStep, upstream } from '#core/run/graph.ts';
import { baselineChecks } from '#core/run/next.ts';
import { baselineName } from '#core/run/settle.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import { factsNow, type RunFacts, scopeOf, workspaceOf } from '#core/run/work-scope.ts';

type WorkOf<D extends Work['do']> = Extract<Work, { do: D }>;

/** The activity input of an attempt. Taken before `begun(work)` is emitted: starting it changes what it starts from. */
export function attemptInput(original: RunFacts, state: RunState, work: WorkOf<'attempt'>): AttemptInput {
  const facts = factsNow(original, state);
  const step = planStep(facts.plan, work.step);
  const now = stepOf(state, work.step);
  const { snapshot, dirty } = state.workspace;
  const session = step.work.kind === 'agent' && step.work.agent.session === 'resume' ? now.session : null;
  return {
    key: { runId: state.runId, step: work.step, pass: work.pass, attempt: work.attempt },
    step: promptedBy(step, now),
    workspace: workspaceOf(facts, state),
    ...(snapshot === null ? {} : { from: snapshot }),
    restore: dirty && !step.readOnly,
    resume: now.phase === 'resumable',
    ...(session === null ? {} : { session }),
    ...(session === null || now.result?.agent === undefined ? {} : { sessionAgent: now.result.agent }),
    ...reportsOf(step, now),
    scope: scopeOf(facts, state, step),
    brief: briefOf(facts.plan, state, step, now),
  };
}

/** C6: the loop that fired can ask something of its own. */
function promptedBy(step: StepPlan, { prompt }: StepState): StepPlan {
  if (prompt === null || step.work.kind !== 'agent') return step;
  return { ...step, work: { ...step.work, prompt } };
}

/** B7: the reports that this pass's agent may write, and the worklist that the pass before left. */
function reportsOf(step: StepPlan, now: StepState): Pick<AttemptInput, 'reportFiles' | 'worklist'> {
  const reports = step.checks.flatMap((check) => (check.kind === 'report' ? [check] : []));
  if (reports.length === 0) return {};
  const reportFiles = [...new Set(reports.map(({ file }) => file))];
  const list = reports.find(({ wants }) => wants.kind === 'worklist');
  const worklist = list === undefined ? undefined : now.result?.reports?.[list.file];
  return { reportFiles, ...(worklist === undefined ? {} : { worklist }) };
}

export function judgeInput(original: RunFacts, state: RunState, work: WorkOf<'judge'>): JudgeInput {
  const facts = factsNow(original, state);
  const step = planStep(facts.plan, work.step);
  const now = stepOf(state, work.step);
  const snapshot = step.readOnly ? now.pinned : state.workspace.snapshot;
  return {
    runId: state.runId,
    step: work.step,
    pass: work.pass,
    round: work.round,
    restore: state.workspace.dirty,
    guard: guardsFiles(facts.plan, step),
    checks: hardChecks(step.checks.filter(({ name }) => work.checks.includes(name))).map((check) =>
      readersCheck(step, check),
    ),
    workspace: workspaceOf(facts, state),
    ...(snapshot === null ? {} : { snapshot }),
    scope: scopeOf(facts, state, step),
    env: step.env,
    ...baseFindings(facts.plan, state, step),
    ...heardOf(state, step),
    ...(now.result?.reports === undefined ? {} : { reports: now.result.reports }),
  };
}

/** A5, A9: how the outputs that the step's checks read came about. */
function heardOf(state: RunState, step: StepPlan): Pick<JudgeInput, 'heard'> {
  const read = step.checks.flatMap((check) => (check.kind === 'match' || check.kind === 'schema' ? [check.of] : []));
  const heard = [...new Set(read)].flatMap((of): [string, { echoed?: ArtifactRef }][] => {
    const { result } = stepOf(state, of);
    return result?.agent === undefined ? [] : [[of, present({ echoed: result.echoed })]];
  });
  return heard.length === 0 ? {} : { heard: Object.fromEntries(heard) };
}

/** B11: with `newFailuresOnly` the host compares what fails with what failed on the base. */
function baseFindings(plan: Plan, state: RunState, step: StepPlan): Pick<JudgeInput, 'base'> {
  if (plan.baseline !== 'newFailuresOnly') return {};
  const failed = state.baseline.verdicts.filter((found) => found.step === step.id && found.verdict.kind === 'fail');
  const found = failed.map(({ check, verdict: { evidence } }): [string, BaseFinding] => {
    const { exitCode, digest, failing } = evidence;
    return [check, present({ exitCode, digest, failing })];
  });
  return found.length === 0 ? {} : { base: Object.fromEntries(found) };
}

function hardChecks(checks: readonly CheckPlan[]): HardCheck[] {
  return checks.flatMap((check) => (check.kind === 'review' ? [] : [check]));
}

/** A reader's checks judge the snapshot that it read, which the workspace may have left behind. */
function readersCheck(step: StepPlan, check: HardCheck): HardCheck {
  return step.readOnly && check.kind === 'command' ? { ...check, where: 'commit' } : check;
}

/** The hard checks of every step, once, on the base (B11). */
export function baselineInput(original: RunFacts, state: RunState): JudgeInput {
  const facts = factsNow(original, state);
  const { base } = state.workspace;
  const checks = baselineChecks(facts.plan).flatMap(({ step, checks: own }): HardCheck[] =>
    hardChecks(own).map((check) => ({ ...check, name: baselineName(step.id, check.name), needs: 'always' })),
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

export function evaluateInput(original: RunFacts, state: RunState, work: WorkOf<'evaluate'>): EvaluateInput {
  const facts = factsNow(original, state);
  const step = planStep(facts.plan, work.step);
  return {
    runId: state.runId,
    step: work.step,
    pass: work.pass,
    purpose: work.purpose,
    ...conditionsOf(step, work.purpose),
    restore: state.workspace.dirty,
    workspace: workspaceOf(facts, state),
    env: step.env,
    secrets: step.secrets,
    ...present({ directory: step.directory }),
    ...(state.workspace.snapshot === null ? {} : { snapshot: state.workspace.snapshot }),
    scope: scopeOf(facts, state, step),
  };
}

export function deliverInput(original: RunFacts, state: RunState): DeliverInput {
  const facts = factsNow(original, state);
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
    ...(handlersFor(facts.plan, 'succeeded').length > 0 ? { stays: true } : {}),
    atMs: state.startedAt,
    scope: scopeOf(facts, state, undefined),
  };
}

function conditionsOf(step: StepPlan, purpose: 'when' | 'repeat'): Pick<EvaluateInput, 'condition' | 'and' | 'tell'> {
  const { when, loop } = step;
  const condition = purpose === 'when' ? when?.condition : loop?.repeat?.condition;
  if (condition === undefined) throw new TypeError(`step ${step.id} has no ${purpose} condition`);
  if (purpose === 'when') return { condition, ...present({ and: when?.and }) };
  const prompts = Object.values(loop?.prompts ?? {});
  return { condition, ...(prompts.some((text) => text?.includes('condition.')) ? { tell: true } : {}) };
}

/** C9: the agent is told pass n of N, the checks in plain words, its remaining time and spend. */
function briefOf(plan: Plan, state: RunState, step: StepPlan, now: StepState): BriefFacts {
  const limit = passLimit(plan, state, step);
  const { timeSeconds, spendUsd } = plan.limits;
  return {
    pass: now.pass,
    passLimit: limit,
    checks: judgesOf(plan, step),
    ...(plan.baseline === 'newFailuresOnly' ? { newFailuresOnly: true } : {}),
    // The limits of the run hold for no handler (D-14), only its spend.
    ...(timeSeconds === undefined || state.handling !== null
      ? {}
      : { remainingSeconds: Math.max(0, timeSeconds - state.activeMs / 1000) }),
    ...(spendUsd === undefined ? {} : { remainingUsd: Math.max(0, spendUsd - (state.spend.usd ?? 0)) }),
  };
}

/** The last pass that the loops over this step still allow (pass n of N); `null` when one of them is unlimited. */
function passLimit(plan: Plan, state: RunState, step: StepPlan): number | null {
  // A loop resets what is downstream of its target: its target is this step or before it.
  const above = new Set([step.id, ...upstream(plan, step.id)]);
  const left = plan.steps.flatMap(({ id, loop }) => {
    if (loop === undefined || (id !== step.id && !above.has(loop.to))) return [];
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
    if (other.id !== step.id && other.work.kind === 'person')
      return [{ name: other.name, sentence: 'A person decides.' }];
    if (other.id === step.id || other.work.kind !== 'run') return own;
    return [{ name: other.name, sentence: `\`${other.work.command}\` exits 0.` }, ...own];
  });
}
