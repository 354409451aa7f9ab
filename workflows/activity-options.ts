import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

import { type ActivityPolicy, policy } from '#core/contract/policy.ts';

const seconds = (value: number): number => value * 1000;

function retryOf(limits: ActivityPolicy) {
  return {
    maximumAttempts: limits.attempts,
    initialInterval: seconds(limits.firstRetry),
    maximumInterval: seconds(limits.maxRetry),
    backoffCoefficient: 2,
  };
}

/** What the engine is told of an activity's limits (decision 6). */
export function activityOptions(name: keyof typeof policy, taskQueue: string): ActivityOptions {
  const limits: ActivityPolicy = policy[name];
  return {
    taskQueue,
    startToCloseTimeout: seconds(limits.start),
    scheduleToStartTimeout: seconds(limits.queued),
    ...(limits.heartbeat === undefined ? {} : { heartbeatTimeout: seconds(limits.heartbeat) }),
    retry: retryOf(limits),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  };
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
