import type { HostActivities, PlacementActivities } from '#core/contract/activities.ts';
import { attempt } from '#activities/attempt/attempt.ts';
import { deliver } from '#activities/deliver.ts';
import { evaluate } from '#activities/evaluate.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { judge } from '#activities/judge/judge.ts';
import { openTask } from '#activities/open-task.ts';
import { review } from '#activities/review/review.ts';
import { cleanupWorkspace } from '#activities/workspace/cleanup.ts';
import { keepFiles } from '#activities/workspace/keep-files.ts';
import { openWorkspace } from '#activities/workspace/open-workspace.ts';

/** What a host does for the runs whose workspace it keeps. */
export function createHostActivities(deps: HostDeps): HostActivities {
  return {
    attempt: (input) => attempt(deps, input),
    judge: (input) => judge(deps, input),
    evaluate: (input) => evaluate(deps, input),
    deliver: (input) => deliver(deps, input),
    cleanupWorkspace: (input) => cleanupWorkspace(deps, input),
    openTask: (input) => openTask(deps, input),
    keepFiles: (input) => keepFiles(deps, input),
    review: (input) => review(deps, input),
  };
}

/** What any host with a free slot does for a run that has no workspace yet. */
export function createPlacementActivities(deps: HostDeps): PlacementActivities {
  return { openWorkspace: (input) => openWorkspace(deps, input) };
}
