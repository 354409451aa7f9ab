import type { CheckPlanOf } from '#core/check/check-plan.ts';
import type { CallPlan } from '#core/plan/plan.ts';

/** Parts of plans that call other runs or have work reviewed; what asks people is `personWork`. */

export function callWork(change: Partial<CallPlan> = {}): CallPlan {
  return { kind: 'call', definition: 'child', inputs: {}, ...change };
}

export function reviewCheck(name: string, change: Partial<CheckPlanOf<'review'>> = {}): CheckPlanOf<'review'> {
  return {
    kind: 'review',
    name,
    needs: 'passed',
    timeSeconds: 600,
    agent: { name: 'claude', session: 'fresh', fallback: [] },
    criterion: 'It does what was asked.',
    consecutive: 1,
    ...change,
  };
}
