import type { StepPlan } from '#core/plan/plan.ts';
import type { Finding } from '#core/doctor/finding.ts';
import type { Facts } from '#core/doctor/facts.ts';

/** What a rule says of one place; what is the same at every place is said by the rule. */
export type Found = Pick<Finding, 'path' | 'message'> &
  Partial<Pick<Finding, 'loop' | 'missing' | 'why' | 'remedy' | 'severity' | 'fix'>>;

/** One thing that can be wrong with a loop. */
export interface Rule {
  /** `<area>/<kebab>`; never changes once released. */
  id: string;
  severity: Finding['severity'];
  /** What a loop lacks where the rule finds something; absent = none of the three, or it depends on the place. */
  missing?: Finding['missing'];
  /** One line: what it finds. */
  title: string;
  why: string;
  remedy: string;
  /** Two native definitions: the rule finds something in the first and nothing in the second. */
  example: { wrong: string; right: string };
  find: (facts: Facts) => Found[];
}

export function findingOf(rule: Omit<Rule, 'find' | 'example'>, found: Found): Finding {
  const { id, severity, missing, why, remedy } = rule;
  return { rule: id, severity, why, remedy, ...(missing === undefined ? {} : { missing }), ...found };
}

/** That a finding is about the loop of a step, where it has one. */
export function loopOf({ id, loop }: StepPlan): Pick<Found, 'loop'> {
  return loop === undefined ? {} : { loop: id };
}
