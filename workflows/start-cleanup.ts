import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { startChild } from '@temporalio/workflow';

import type { CleanupWork } from '#core/contract/cleanup.ts';
import { cleanupId, cleanupWorkflowType } from '#core/contract/cleanup-name.ts';
import type { cleanup } from '#workflows/cleanup.ts';

/** Starts a clean-up (T-29) that outlives its run: it waits for the host by itself. One that is under way does the same. */
export async function startCleanup(work: CleanupWork): Promise<void> {
  try {
    await startChild<typeof cleanup>(cleanupWorkflowType, {
      workflowId: cleanupId(work.request),
      args: [work],
      parentClosePolicy: 'ABANDON',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
