import type { ChildLimits, StartChildInput } from '#core/contract/activities.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import type { LimitsPlan, Plan, WorkspacePlan } from '#core/plan/plan.ts';

/** What a child run belongs to. */
export type Family = Pick<Plan, 'project' | 'labels'>;

/**
 * The plan of a child run, as it is frozen at its start: of its parent's project and labels, so that whoever looks for the
 * one or holds a source finds the other; within what its parent has left; and in its parent's repository where it names none.
 */
export function childPlan({ plan, limits, workspace }: StartChildInput, family: Family): Plan {
  return {
    ...plan,
    project: family.project,
    labels: [...new Set([...family.labels, ...plan.labels])],
    limits: narrowed(plan.limits, limits),
    workspace: placed(plan.workspace, workspace),
  };
}

/** The smaller of each; a limit that the child's own plan lacks is added. */
function narrowed(own: LimitsPlan, given: ChildLimits): LimitsPlan {
  return {
    ...own,
    ...present({
      timeSeconds: least(own.timeSeconds, given.timeSeconds),
      deadlineSeconds: least(own.deadlineSeconds, given.deadlineSeconds),
      spendUsd: least(own.spendUsd, given.spendUsd),
    }),
  };
}

function least(own: number | undefined, given: number | undefined): number | undefined {
  if (own === undefined || given === undefined) return own ?? given;
  return Math.min(own, given);
}

/** A base of its own stays: a branch of the same repository. */
function placed(own: WorkspacePlan, { repo, base }: StartChildInput['workspace']): WorkspacePlan {
  if (own.repo !== defaults.repo) return own;
  return { ...own, repo, ...present({ base: own.base ?? base }) };
}

/** A child's place in its parent, under which there is one run whoever starts it how often. */
export function childKey({ runId, step, pass, index, attempt }: StartChildInput['parent']): string {
  const again = attempt === undefined ? '' : `.${attempt}`;
  return `child:${runId}/${step}#${pass}${again}[${index}]`;
}
