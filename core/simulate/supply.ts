import type { Verdict } from '#core/check/verdict.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { Work } from '#core/run/command.ts';
import { planStep } from '#core/run/graph.ts';
import type { Outcome } from '#core/run/settle.ts';
import { type Durations, invent, verdict } from '#core/simulate/invent.ts';
import { isOfCheck, type SimulateOptions } from '#core/simulate/options.ts';
import { outcomeFor } from '#core/simulate/outcome-read.ts';
import { type Finished, placeOf, verdictPlace } from '#core/simulate/place.ts';
import type { RunRecord, Took } from '#core/simulate/record.ts';

/** Where an event comes from: the law decided it, or the world said it as recorded, as invented, or as the options ask. */
export type Origin = 'law' | 'recorded' | 'invented' | 'option';

export interface Supplied extends Took<Outcome> {
  origin: Origin;
  /** Of verdicts that come from different places, by check. */
  origins: ReadonlyMap<string, Origin>;
}

export interface Supplies {
  record: RunRecord;
  options: SimulateOptions;
  durations: Durations;
  finished: Finished;
}

const noOrigins: ReadonlyMap<string, Origin> = new Map();

/** What a piece of work gives: `known` of the record, else what is invented; where the options say otherwise, that. */
export function supply(
  plan: Plan,
  supplies: Supplies,
  work: Work,
  known = recordedOf(supplies.record, work, supplies.finished),
): Supplied {
  const { options, durations } = supplies;
  if (work.do === 'judge') return judgement(plan, supplies, work, known);
  const given = known ?? invent(plan, work, durations, placeOf(work, supplies.finished));
  const value = outcomeFor(work, given.value) ?? given.value;
  const said = asSaid(options, work, value);
  const origin = known === undefined ? ('invented' as const) : ('recorded' as const);
  if (said === undefined) return { value, tookMs: given.tookMs, origin, origins: noOrigins };
  return { value: said, tookMs: given.tookMs, origin: 'option', origins: noOrigins };
}

function recordedOf({ outcomes }: RunRecord, work: Work, finished: Finished): Took<Outcome> | undefined {
  const found = outcomes.get(placeOf(work, finished));
  if (found === undefined) return undefined;
  const value = outcomeFor(work, found.value);
  return value === undefined ? undefined : { value, tookMs: found.tookMs };
}

/** What the options make of an outcome; `undefined` when they say nothing else than it does. */
function asSaid(options: SimulateOptions, work: Work, outcome: Outcome): Outcome | undefined {
  if (work.do === 'review' && outcome.of === 'review') {
    const kind = saidOfCheck(options, work, work.check);
    if (kind === undefined || kind === outcome.value.verdict.kind) return undefined;
    return { of: 'review', value: { ...outcome.value, verdict: saidVerdict(kind), fingerprint: `said ${kind}` } };
  }
  if ((work.do !== 'attempt' && work.do !== 'recover') || !fails(options, work)) return undefined;
  if (outcome.of === 'attempt') return { of: 'attempt', value: failedResult(outcome.value) };
  if (outcome.of !== 'recover' || outcome.value.kind !== 'finished') return undefined;
  return { of: 'recover', value: { kind: 'finished', result: failedResult(outcome.value.result) } };
}

/** Is the step made to fail in that pass? */
export function fails({ failSteps }: SimulateOptions, work: { step: string; pass: number }): boolean {
  return failSteps.some(({ step, pass }) => step === work.step && pass === work.pass);
}

function failedResult(result: AttemptResult): AttemptResult {
  const { match: _match, ...rest } = result;
  return { ...rest, end: { kind: 'failed', reason: 'made to fail (--fail)' } };
}

function saidOfCheck(
  { failChecks, passChecks }: SimulateOptions,
  { step, pass }: { step: string; pass: number },
  check: string,
): 'pass' | 'fail' | undefined {
  const names = (wanted: SimulateOptions['failChecks'][number]): boolean =>
    wanted.pass === pass && isOfCheck(wanted, step, check);
  if (failChecks.some(names)) return 'fail';
  return passChecks.some(names) ? 'pass' : undefined;
}

function saidVerdict(kind: 'pass' | 'fail'): Verdict {
  return verdict(kind, kind === 'pass' ? 'made to pass (--pass-check)' : 'made to fail (--fail-check)');
}

type Judgement = Extract<Work, { do: 'judge' }>;
type Judged = { check: string; verdict: Verdict };

/** A recorded judging that the options leave alone stays whole; else the verdicts are put together one by one. */
function judgement(plan: Plan, supplies: Supplies, work: Judgement, known: Took<Outcome> | undefined): Supplied {
  const judged = known?.value.of === 'judge' ? known.value.value.verdicts : [];
  const isSaid = judged.some(({ check, verdict: { kind } }) => {
    const said = saidOfCheck(supplies.options, work, check);
    return said !== undefined && said !== kind;
  });
  if (known !== undefined && !isSaid && isComplete(planStep(plan, work.step), work, judged)) {
    return { ...known, origin: 'recorded', origins: noOrigins };
  }
  return putTogether(plan, supplies, work, { judged, tookMs: known?.tookMs ?? 0 });
}

/** Every check has a verdict, but those that need the others passed where one did not. */
function isComplete(step: StepPlan, { checks }: Judgement, judged: readonly Judged[]): boolean {
  const hasFailed = judged.some(({ verdict: { kind } }) => kind !== 'pass');
  return checks.every((name) => {
    const isLeftOut = hasFailed && step.checks.find((check) => check.name === name)?.needs === 'passed';
    return isLeftOut || judged.some(({ check }) => check === name);
  });
}

/** In written order, as a host asks them: one that needs the others passed is left out behind one that did not (B2). */
function putTogether(
  plan: Plan,
  supplies: Supplies,
  work: Judgement,
  { judged, tookMs }: { judged: readonly Judged[]; tookMs: number },
): Supplied {
  const { checks } = planStep(plan, work.step);
  // Of the files that are guarded (B4): no check of the plan.
  const verdicts = judged.filter(({ check }) => !checks.some(({ name }) => name === check));
  const origins = new Map<string, Origin>(verdicts.map(({ check }) => [check, 'recorded']));
  for (const name of work.checks) {
    const needs = checks.find((check) => check.name === name)?.needs;
    if (needs === 'passed' && verdicts.some(({ verdict: { kind } }) => kind !== 'pass')) continue;
    const recorded = supplies.record.verdicts.get(verdictPlace(work, name, supplies.finished));
    const said = saidOfCheck(supplies.options, work, name);
    const isSaid = said !== undefined && said !== recorded?.kind;
    origins.set(name, isSaid ? 'option' : recorded === undefined ? 'invented' : 'recorded');
    verdicts.push({ check: name, verdict: isSaid ? saidVerdict(said) : (recorded ?? verdict('pass', 'invented')) });
  }
  const facts = verdicts.map(({ check, verdict: { kind, evidence } }) => [check, kind, evidence.digest]);
  const value = { of: 'judge' as const, value: { verdicts, fingerprint: JSON.stringify(facts) } };
  return { value, tookMs, origin: 'invented', origins };
}
