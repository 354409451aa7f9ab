import { type WorkflowClient, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CleanupOutcome, type CleanupWork } from '#core/contract/cleanup.ts';
import { cleanupId, cleanupWorkflowType } from '#core/contract/cleanup-name.ts';

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
  within: <T>(ms: number, call: () => Promise<T>) => Promise<T>;
  /** How long to wait for the outcome; default 10 s. */
  answerMs: number | undefined;
}

const startMs = 2_000;
const answerMs = 10_000;

/** Starts clean-ups, or joins the one that is under way, and waits for the outcome. Never throws. */
export function createCleanUp(calls: CleanupCalls): (work: CleanupWork) => Promise<CleanupFate> {
  const { workflow, within } = calls;
  return async (work) => {
    const start = () =>
      workflow.start(cleanupWorkflowType, {
        workflowId: cleanupId(work.request),
        taskQueue: calls.taskQueue,
        args: [work],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
    const handle = await within(startMs, start).catch(() => undefined);
    if (handle === undefined) return { kind: 'unreachable' };
    try {
      const outcome = await within(calls.answerMs ?? answerMs, () => handle.result());
      return { kind: 'answered', outcome: CleanupOutcome.parse(outcome) };
    } catch (error) {
      // An engine that goes away while it is waited for has taken it all the same.
      return error instanceof WorkflowFailedError ? failed(error) : { kind: 'pending' };
    }
  };
}

function failed({ cause, message }: WorkflowFailedError): CleanupFate {
  const inner = cause instanceof ActivityFailure ? cause.cause : cause;
  if (inner instanceof ApplicationFailure && inner.type != null) {
    return { kind: 'failed', code: inner.type, message: inner.message };
  }
  return { kind: 'failed', message: inner?.message ?? message };
}
