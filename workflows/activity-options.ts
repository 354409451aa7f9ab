import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

import { type ActivityPolicy, policy } from '#core/contract/policy.ts';
import { fairnessKeyOf } from '#core/contract/queue.ts';
import type { RunFacts } from '#core/run/work-scope.ts';

const seconds = (value: number): number => value * 1000;

function retryOf(limits: ActivityPolicy) {
  return {
    maximumAttempts: limits.attempts,
    initialInterval: seconds(limits.firstRetry),
    maximumInterval: seconds(limits.maxRetry),
    backoffCoefficient: 2,
  };
}

/** Whose work it is; runs that were started before there were priorities have none. */
type Urgency = Pick<RunFacts, 'plan' | 'priority'>;

/** What the engine is told of an activity: its limits (decision 6), and before whose work it is taken (E-26). */
export function activityOptions(name: keyof typeof policy, taskQueue: string, whose?: Urgency): ActivityOptions {
  const limits: ActivityPolicy = policy[name];
  return {
    taskQueue,
    startToCloseTimeout: seconds(limits.start),
    scheduleToStartTimeout: seconds(limits.queued),
    ...(limits.heartbeat === undefined ? {} : { heartbeatTimeout: seconds(limits.heartbeat) }),
    retry: retryOf(limits),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    ...(whose?.priority === undefined ? {} : { priority: priorityOf(whose.priority, whose.plan.project) }),
  };
}

/** The most urgent first; among equals the projects take turns. */
function priorityOf(priorityKey: number, project: string): NonNullable<ActivityOptions['priority']> {
  return { priorityKey, fairnessKey: fairnessKeyOf(project) };
}

/** Of the one local activity there may be at a time: two would not replay in the order in which they settled. */
export function localOptions(name: keyof typeof policy): LocalActivityOptions {
  const limits: ActivityPolicy = policy[name];
  return {
    startToCloseTimeout: seconds(limits.start),
    retry: retryOf(limits),
    localRetryThreshold: seconds(5),
  };
}
