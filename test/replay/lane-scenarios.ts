import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import type { Recording } from '../workflow/harness.ts';
import { judgedAs } from '../workflow/outcomes.ts';

const work = step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')], loop: loopTo('work') });
const { workspace } = plan([work]);

/** Where a run works: a worktree for each pass, one that goes with the run, and a folder of artifacts. */
export const laneRecordings: Record<string, Recording> = {
  'lane-for-each-pass': (play) =>
    play({
      plan: plan([work], { workspace: { ...workspace, lane: 'pass' }, artifacts: true }),
      script: { judge: (input) => judgedAs(input.pass < 2 ? 'fail' : 'pass', input) },
    }),
  'worktree-not-kept': (play) => play({ plan: plan([work], { workspace: { ...workspace, afterwards: 'remove' } }) }),
};
