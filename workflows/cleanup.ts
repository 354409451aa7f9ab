import { proxyActivities } from '@temporalio/workflow';

import type { HostActivities } from '#core/contract/activities.ts';
import type { CleanupOutcome, CleanupWork } from '#core/contract/cleanup.ts';
import { activityOptions } from '#workflows/activity-options.ts';

/** Puts a clean-up (T-29) on the queue of the run's host, and waits for it until the host is back. */
export async function cleanup({ queue, request }: CleanupWork): Promise<CleanupOutcome> {
  const options = activityOptions('cleanupWorkspace', queue);
  return proxyActivities<Pick<HostActivities, 'cleanupWorkspace'>>(options).cleanupWorkspace(request);
}
