import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { answersOf } from '#core/doctor/answers.ts';
import { factsOf, type SourceHints } from '#core/doctor/facts.ts';
import type { Examination, Finding } from '#core/doctor/finding.ts';
import { rules } from '#core/doctor/registry.ts';
import { findingOf } from '#core/doctor/rule.ts';

/**
 * What is to be said about the loops of a plan and of all that it calls (section D of the rules, D-17, D-21). It never
 * depends on how the plan was written but for `source`, which tells what only a text can. Findings come by plan and rule,
 * with paths of the long form. Never throws; runs nothing, and no pattern that could take long.
 */
export function examine(plan: Plan, source?: SourceHints): Examination {
  const examination: Examination = { findings: [], loops: [] };
  examineInto(examination, { plan, prefix: '', source, repeated: false, seen: new Set() });
  return examination;
}

interface Examining {
  plan: Plan;
  prefix: string;
  source: SourceHints | undefined;
  repeated: boolean;
  /** Names of child definitions that were looked at: one that is called from several places is told once. */
  seen: Set<string>;
}

function examineInto(examination: Examination, { plan, prefix, source, repeated, seen }: Examining): void {
  const facts = factsOf(plan, { prefix, source, repeated });
  const found = rules.flatMap((rule) => rule.find(facts).map((each) => findingOf(rule, each)));
  examination.findings.push(...withoutEchoes(found));
  const byLoop = new Map<string, Finding[]>();
  for (const each of found) byLoop.set(each.loop ?? '', [...(byLoop.get(each.loop ?? '') ?? []), each]);
  examination.loops.push(...facts.loops.map((loop) => answersOf(facts, loop, byLoop.get(loop.owner.id) ?? [])));
  for (const [name, child] of Object.entries(plan.children ?? {})) {
    if (seen.has(name)) continue;
    seen.add(name);
    const inLoop = repeated || plan.steps.some((step) => calls(step, name) && facts.loopsOver(step).length > 0);
    examineInto(examination, { plan: child, prefix: `${prefix}definitions.${name}.`, source, repeated: inLoop, seen });
  }
}

function calls({ work }: StepPlan, name: string): boolean {
  return work.kind === 'call' && work.definition === name;
}

/** What follows from another finding about the same command or loop. */
const echoes: Readonly<Record<string, readonly string[]>> = {
  'check/passes-on-nothing': ['check/cannot-fail'],
  'check/cannot-fail': ['check/folded-commands'],
  'check/negated': ['check/cannot-fail'],
  'loop/condition-tells-nothing': ['loop/self-review', 'loop/inverted-condition'],
  'loop/prompt-ignores-check': ['loop/self-review'],
  'loop/gate-only': ['loop/retry-is-no-loop', 'loop/agent-decides'],
};

function withoutEchoes(found: readonly Finding[]): Finding[] {
  const places = new Set(found.map(({ rule, path }) => `${rule} ${partOf(path)}`));
  return found.filter(
    ({ rule, path }) => !(echoes[rule] ?? []).some((cause) => places.has(`${cause} ${partOf(path)}`)),
  );
}

/** The check, or the step, that a path is within. */
function partOf(path: string): string {
  return /^(?:definitions\.[^.]+\.)*steps\.[^.]+(?:\.checks\.\d+)?/.exec(path)?.[0] ?? path;
}
