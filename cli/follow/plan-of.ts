import { type RunListed, RunShown } from '#core/contract/http.ts';
import type { Plan } from '#core/plan/plan.ts';

import { CliFailure, exitCodes } from '#cli/failure.ts';

/** The plan in the server's answer `whole` for one run. Throws with exit code 5 for a plan of another version. */
export function planOf(whole: unknown): Plan {
  const shown = RunShown.pick({ plan: true }).safeParse(whole);
  if (shown.success) return shown.data.plan;
  throw new CliFailure(exitCodes.infrastructure, 'the plan of the run has a shape that this version does not know', {
    remedy: 'use the same version of setpoint on both sides',
    cause: shown.error,
  });
}

/** The child runs in the server's answer; none where it says nothing of them. */
export function childrenIn(whole: unknown): readonly RunListed[] {
  return RunShown.pick({ children: true }).safeParse(whole).data?.children ?? [];
}
