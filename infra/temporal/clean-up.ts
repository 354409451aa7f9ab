import { type WorkflowClient, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { cleanupId, CleanupOutcome, type CleanupWork, cleanupWorkflowType } from '#core/contract/cleanup.ts';

/**
 * `pending`: the host did not do it in time, and does it when it is back. `failed`: it tried and could not; `code` is a
 * fault's where it was one. `unreachable`: the engine did not take it.
 */
export type CleanupFate =
  | { kind: 'answered'; outcome: CleanupOutcome }
  | { kind: 'pending' }
  | { kind: 'failed'; code?: string; message: string }
  | { kind: 'unreachable' };

export interface CleanupCalls {
  workflow: WorkflowClient;
  /** Where workflows are served. */
  taskQueue: string;
  /** A call of the engine with a limit. */
  within<T>(ms: number, call: () => Promise<T>): Promise<T>;
  /** How long to start it, and to wait for its outcome. */
  limits: { startMs: number; answerMs: number };
}

/** Starts a clean-up, or joins the one that is under way, and waits for its outcome. Never throws. */
export async function cleanUp(calls: CleanupCalls, work: CleanupWork): Promise<CleanupFate> {
  const { workflow, taskQueue, within, limits } = calls;
  const start = () =>
    workflow.start(cleanupWorkflowType, {
      workflowId: cleanupId(work.request),
      taskQueue,
      args: [work],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  const handle = await within(limits.startMs, start).catch(() => undefined);
  if (handle === undefined) return { kind: 'unreachable' };
  try {
    return {
      kind: 'answered',
      outcome: CleanupOutcome.parse(await within(limits.answerMs, () => handle.result())),
    };
  } catch (error) {
    // An engine that goes away while it is waited for has taken it all the same.
    return error instanceof WorkflowFailedError ? failed(error) : { kind: 'pending' };
  }
}

function failed({ cause, message }: WorkflowFailedError): CleanupFate {
  const inner = cause instanceof ActivityFailure ? cause.cause : cause;
  if (inner instanceof ApplicationFailure && inner.type != null) {
    return { kind: 'failed', code: inner.type, message: inner.message };
  }
  return { kind: 'failed', message: inner?.message ?? message };
}
