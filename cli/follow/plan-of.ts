import { z } from 'zod';

import { type RunListed, RunShown } from '#core/contract/http.ts';
import type { Plan } from '#core/plan/plan.ts';

import { CliFailure, exitCodes } from '#cli/failure.ts';
import type { Workplace } from '#cli/render/outcome.ts';

/** The plan in the server's answer `whole` for one run. Throws with exit code 5 for a plan of another version. */
export function planOf(whole: unknown): Plan {
  const shown = RunShown.pick({ plan: true }).safeParse(whole);
  if (shown.success) return shown.data.plan;
  throw new CliFailure(exitCodes.infrastructure, 'the plan of the run has a shape that this version does not know', {
    remedy: 'use the same version of setpoint on both sides',
    cause: shown.error,
  });
}

const Placed = z.object({
  plan: z.object({ workspace: z.object({ worktree: z.boolean() }) }),
  state: z.object({ workspace: z.object({ path: z.string() }) }),
});

/** Where the run works, from the server's answer for it; nothing before its workspace is open. */
export function workplaceIn(whole: unknown): { workplace?: Workplace } {
  const { data } = Placed.safeParse(whole);
  if (data === undefined) return {};
  return { workplace: { path: data.state.workspace.path, worktree: data.plan.workspace.worktree } };
}

/** The child runs in the server's answer; none where it says nothing of them. */
export function childrenIn(whole: unknown): readonly RunListed[] {
  return RunShown.pick({ children: true }).safeParse(whole).data?.children ?? [];
}
