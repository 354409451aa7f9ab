import type { StepPlan } from '#core/plan/plan.ts';
import type { Facts } from '#core/doctor/facts.ts';
import { type ReadablePattern, readPattern, startTrying, type Trying } from '#core/doctor/pattern/readable-pattern.ts';

/** A pattern that decides what the words of somebody are worth. */
export interface JudgingPattern {
  /** Of the key that holds it. */
  path: string;
  pattern: string;
  key: 'pass' | 'fail';
  /** The pattern of the other key, too, where there is one. */
  other: string | undefined;
  /** Whose output it reads. */
  of: StepPlan;
  /** Whose loop it decides, where it does. */
  loop: string | undefined;
  read: ReadablePattern | undefined;
}

/** Of steps and of `match` checks, in plan order. */
export function judgingPatterns(facts: Facts): JudgingPattern[] {
  const trying = startTrying();
  return facts.plan.steps.flatMap((step) => {
    const at = facts.pathOf(step);
    const loop = step.loop === undefined ? undefined : step.id;
    const own = step.match === undefined ? [] : patternsOf(step.match, { at, of: step, loop, trying });
    const checks = step.checks.flatMap((check, index) => {
      const of = check.kind === 'match' ? facts.step(check.of) : undefined;
      if (check.kind !== 'match' || of === undefined) return [];
      return patternsOf(check, { at: `${at}.checks.${index}.match`, of, loop, trying });
    });
    return [...own, ...checks];
  });
}

function patternsOf(
  match: { pass?: string | undefined; fail?: string | undefined },
  { at, of, loop, trying }: { at: string; of: StepPlan; loop: string | undefined; trying: Trying },
): JudgingPattern[] {
  return (['pass', 'fail'] as const).flatMap((key) => {
    const pattern = match[key];
    if (pattern === undefined) return [];
    const other = key === 'pass' ? match.fail : match.pass;
    return [{ path: `${at}.${key}`, pattern, key, other, of, loop, read: readPattern(pattern, trying) }];
  });
}
