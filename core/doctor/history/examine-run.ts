import type { Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import type { RunEvent } from '#core/run/event.ts';
import { planNow } from '#core/run/plan-now.ts';
import { examine } from '#core/doctor/examine.ts';
import type { Examination } from '#core/doctor/finding.ts';
import { findingOf } from '#core/doctor/rule.ts';
import { type PassCost, passesOf } from '#core/doctor/history/passes.ts';
import { historyRules } from '#core/doctor/history/registry.ts';

export interface RunExamination extends Examination {
  /** Every pass of every step that did work, in the order in which it began. */
  passes: PassCost[];
}

/** What is to be said about a run: about the plan that it has now, and about what its record shows. */
export function examineRun(original: Plan, events: readonly RunEvent[]): RunExamination {
  const plan = planNow(original, fold(original, events));
  const passes = passesOf(plan, events);
  const { findings, loops } = examine(plan);
  const shown = historyRules.flatMap((rule) =>
    rule.find({ plan, events, passes }).map((each) => findingOf(rule, each)),
  );
  return { findings: [...shown, ...findings], loops, passes };
}
