import { errorAt, warningAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import type { Plan } from '#core/plan/plan.ts';

/** What needs snapshots does not go with `worktree: false` (F4). */
export function checkDelivery(compiling: Compiling, plan: Plan): void {
  const { workspace, deliver } = plan;
  checkLane(compiling, plan);
  if (workspace.worktree) return;
  if (deliver.mode !== 'none') {
    const message = `\`deliver: ${deliver.mode}\` needs a worktree; set \`deliver: none\` or leave \`workspace.worktree\` on`;
    compiling.issues.push(errorAt('deliver', 'deliver/needs-worktree', message));
  }
  if (workspace.base !== undefined) {
    const message =
      '`base` needs a worktree: without one the run works on what is checked out; remove it or leave `worktree` on';
    compiling.issues.push(errorAt('workspace.base', 'workspace/needs-worktree', message));
  }
  if (workspace.lane === 'pass') {
    const message = '`lane: pass` needs a worktree for each pass; remove it or leave `worktree` on';
    compiling.issues.push(errorAt('workspace.lane', 'workspace/needs-worktree', message));
  }
  const nothingToCompare = 'there are no snapshots to compare';
  for (const [path, globs, why] of [
    ['workspace.protect', workspace.protect, nothingToCompare],
    ['workspace.keep', workspace.keep, nothingToCompare],
    ['keepBetweenRuns', plan.keepBetweenRuns ?? [], 'all files stay where they are'],
  ] as const) {
    if (globs.length === 0) continue;
    const message = `\`${path}\` has no effect without a worktree, because ${why}`;
    compiling.issues.push(warningAt(path, 'workspace/needs-worktree', message));
  }
  for (const step of compiling.definition.steps) {
    for (const [position, check] of step.checks.entries()) {
      if (check.kind !== 'command' || check.where !== 'commit') continue;
      const message = '`where: commit` needs snapshots; leave it out, or leave `workspace.worktree` on';
      compiling.issues.push(errorAt(`steps.${step.id}.checks.${position}.where`, 'workspace/needs-worktree', message));
    }
  }
}

/** F1, D-23: what no snapshot holds does not outlive a lane. */
function checkLane(compiling: Compiling, { workspace, keepBetweenRuns = [] }: Plan): void {
  if (workspace.lane !== 'pass' || keepBetweenRuns.length === 0) return;
  const message =
    '`keepBetweenRuns` does not go with `lane: pass`: each pass has a worktree of its own, without what git does not track; use `lane: run`, or keep such files in the folder of `artifacts: true`';
  compiling.issues.push(errorAt('keepBetweenRuns', 'definition/conflict', message));
}
