import type { Plan } from '#core/plan/plan.ts';
import { DecisionKind } from '#core/task/question.ts';
import { limitsStep } from '#core/task/task.ts';

/** A check in one pass; `step` absent = of whichever step has a check of that name. */
export interface CheckInPass {
  step?: string;
  check: string;
  pass: number;
}

/** `revision` counts the openings of the question; absent = every opening, of a push back the first. */
export interface SaidDecision {
  step: string;
  kind: DecisionKind;
  revision?: number;
}

/** What is to be otherwise than the record, or the invention, has it. */
export interface SimulateOptions {
  /** How often the step of a loop may run by it. */
  passes?: number;
  /** Of active work. */
  timeSeconds?: number;
  failChecks: readonly CheckInPass[];
  passChecks: readonly CheckInPass[];
  failSteps: readonly { step: string; pass: number }[];
  decisions: readonly SaidDecision[];
  /** Draws the durations that are invented; absent = each is the same. */
  seed?: number;
}

export const noOptions: SimulateOptions = { failChecks: [], passChecks: [], failSteps: [], decisions: [] };

/** `NAME@PASS[,PASS]`; undefined for what is none. */
export function parsePasses(text: string): { name: string; passes: number[] } | undefined {
  const found = /^(.+)@(\d{1,6}(?:,\d{1,6})*)$/.exec(text.trim());
  const [, name = '', list = ''] = found ?? [];
  const passes = list.split(',').map(Number);
  return found === null || passes.includes(0) ? undefined : { name, passes };
}

/** `STEP=approve|reject|push_back[@REVISION]`; undefined for what is none. */
export function parseDecision(text: string): SaidDecision | undefined {
  const found = /^(.+)=([a-z_]+)(?:@(\d{1,6}))?$/.exec(text.trim());
  const [, step = '', said, revision] = found ?? [];
  const kind = DecisionKind.safeParse(said);
  if (!kind.success) return undefined;
  return { step, kind: kind.data, ...(revision === undefined ? {} : { revision: Number(revision) }) };
}

/** The checks that `name` means: `CHECK`, or `STEP/CHECK`. */
export function checkNamed(plan: Plan, name: string): { step?: string; check: string } {
  const owner = plan.steps.find(({ id }) => name.startsWith(`${id}/`));
  return owner === undefined ? { check: name } : { step: owner.id, check: name.slice(owner.id.length + 1) };
}

/** What the options name and the plan does not have, one sentence each with what there is. */
export function optionIssues(plan: Plan, options: SimulateOptions): string[] {
  const steps = plan.steps.map(({ id }) => id);
  const asking = plan.steps.flatMap(({ id, work }) => (work.kind === 'person' ? [id] : []));
  const working = steps.filter((id) => !asking.includes(id));
  const { failChecks, passChecks, failSteps, decisions } = options;
  const checks = plan.steps.flatMap((step) => step.checks.map(({ name }) => ({ step: step.id, check: name })));
  const unknown = [...failChecks, ...passChecks].filter(
    (wanted) => !checks.some((check) => isOfCheck(wanted, check.step, check.check)),
  );
  const askable = [...asking, limitsStep];
  return [
    ...unknown.map(
      ({ step, check }) => `There is no check "${nameOf(step, check)}". ${among(checks.map((known) => known.check))}`,
    ),
    ...failSteps
      .filter(({ step }) => !working.includes(step))
      .map(({ step }) => `No step "${step}" does any work that could fail. ${among(working)}`),
    ...decisions
      .filter(({ step }) => !askable.includes(step))
      .map(({ step }) => `No step "${step}" asks a person. ${among(askable)}`),
  ];
}

function nameOf(step: string | undefined, check: string): string {
  return step === undefined ? check : `${step}/${check}`;
}

function among(names: readonly string[]): string {
  const known = [...new Set(names)];
  return known.length === 0 ? 'There is none at all.' : `Name one of: ${known.join(', ')}.`;
}

export function isOfCheck(wanted: Pick<CheckInPass, 'step' | 'check'>, step: string, check: string): boolean {
  return wanted.check === check && (wanted.step === undefined || wanted.step === step);
}

/** The plan with the limits of the options in place of its own: higher or lower, on every loop. */
export function withLimits(plan: Plan, { passes, timeSeconds }: SimulateOptions): Plan {
  const steps = plan.steps.map((step) => {
    if (passes === undefined || step.loop === undefined) return step;
    return { ...step, loop: { ...step.loop, limit: passes - 1 } };
  });
  return { ...plan, steps, limits: { ...plan.limits, ...(timeSeconds === undefined ? {} : { timeSeconds }) } };
}
