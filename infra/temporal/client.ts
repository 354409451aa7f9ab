import {
  Client,
  Connection,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { CleanupWork } from '#core/contract/cleanup.ts';
import { controlQueue } from '#core/contract/queue.ts';
import { MessageAnswer, type RunMessage, type SeatInput } from '#core/contract/seat.ts';
import { messageUpdate, runWorkflowType, seatId } from '#core/contract/seat-name.ts';
import { dataConverter } from '#infra/temporal/packing-codec.ts';
import { type CleanupFate, createCleanUp } from '#infra/temporal/clean-up.ts';

/** `closed` and `missing` are told by the engine itself; `unreachable` when it did not answer. */
export type SeatCondition = 'running' | 'closed' | 'missing' | 'unreachable';

/** `no_answer`: no worker answered in time; the message may still be applied. */
export type SentMessage = MessageAnswer | { kind: 'no_answer' } | { kind: 'seat_closed' } | { kind: 'seat_missing' };

/** What runs need of the engine. Nothing here throws for an engine that is away: that is an answer too. */
export interface Engine {
  /** Starts a seat's workflow. Safe to repeat: one that was started before counts as started. */
  startSeat(input: SeatInput): Promise<'started' | 'unreachable'>;
  /** Puts a message to the seat's workflow and waits at most 5 s for its answer (decision 12). */
  sendMessage(runId: string, seat: number, message: RunMessage): Promise<SentMessage>;
  describeSeat(runId: string, seat: number): Promise<SeatCondition>;
  /** Has the run's host clean up after it (T-29), and waits at most 10 s for what it did. */
  cleanUp(work: CleanupWork): Promise<CleanupFate>;
  /** Whether the engine answers within a second. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** host:port. */
  address: string;
  namespace: string;
  /** Where a seat's workflow is served. */
  queue?: string;
  /** How long a message waits for its answer. */
  answerMs?: number;
  /** How long a clean-up waits for its outcome. */
  cleanupMs?: number;
}

const callMs = 2_000;

/**
 * A client that connects with its first call and stays warm. It does not retry by itself: who calls it is the sweeper, or
 * is followed by it. (The client SDK sends without compression; `grpcCompression` is an option of workers only.)
 */
export function connectEngine(options: EngineOptions): Engine {
  const connection = Connection.lazy({ address: options.address, connectTimeout: callMs, interceptors: [] });
  const { workflow } = new Client({ connection, namespace: options.namespace, dataConverter });
  const within = <T>(ms: number, call: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + ms, call);

  const describeSeat = async (runId: string, seat: number): Promise<SeatCondition> => {
    try {
      const { status } = await within(callMs, () => workflow.getHandle(seatId(runId, seat)).describe());
      return status.name === 'RUNNING' || status.name === 'PAUSED' ? 'running' : 'closed';
    } catch (error) {
      return isGone(error) ? 'missing' : 'unreachable';
    }
  };

  return {
    describeSeat,
    async startSeat(input) {
      try {
        await within(callMs, () =>
          workflow.start(runWorkflowType, {
            workflowId: seatId(input.runId, input.seat),
            taskQueue: options.queue ?? controlQueue,
            args: [input],
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'FAIL',
          }),
        );
        return 'started';
      } catch (error) {
        return error instanceof WorkflowExecutionAlreadyStartedError ? 'started' : 'unreachable';
      }
    },
    async sendMessage(runId, seat, message) {
      const handle = workflow.getHandle(seatId(runId, seat));
      try {
        const answer = await within(options.answerMs ?? 5_000, () =>
          handle.executeUpdate<unknown, [RunMessage]>(messageUpdate, { updateId: message.id, args: [message] }),
        );
        return MessageAnswer.parse(answer);
      } catch (error) {
        return isGone(error) ? whyGone(await describeSeat(runId, seat)) : answerOf(error);
      }
    },
    cleanUp: createCleanUp({ workflow, within, taskQueue: options.queue ?? controlQueue, answerMs: options.cleanupMs }),
    async isReachable() {
      try {
        await within(1_000, () => connection.workflowService.getSystemInfo({}));
        return true;
      } catch {
        return false;
      }
    },
    close: () => connection.close(),
  };
}

/** An engine without our namespace is not set up yet: it knows nothing about any seat. */
function isGone(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError && !(error instanceof NamespaceNotFoundError);
}

function whyGone(condition: SeatCondition): SentMessage {
  if (condition === 'closed') return { kind: 'seat_closed' };
  return condition === 'missing' ? { kind: 'seat_missing' } : { kind: 'no_answer' };
}

/** The workflow closed after it accepted an Update, before it answered. */
const closedMeanwhile = 'AcceptedUpdateCompletedWorkflow';

/** A validator refuses by failing the Update, with the code as the failure's type; a handler by its answer. */
function answerOf(error: unknown): SentMessage {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return { kind: 'no_answer' };
  if (!(error instanceof WorkflowUpdateFailedError)) return { kind: 'no_answer' };
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure)) return { kind: 'no_answer' };
  if (cause.type === closedMeanwhile) return { kind: 'seat_closed' };
  return { kind: 'refused', code: cause.type ?? 'run/refused', message: cause.message };
}
