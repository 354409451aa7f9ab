import { ActivityNotFoundError, Client, Connection, isGrpcServiceError, ServiceError } from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError } from '@temporalio/common';
import type { Logger } from '#infra/log.ts';
import { killContainment } from '#infra/process/containment.ts';
import type { HostJournal } from '#workers/host/journal.ts';

/**
 * Ends what a killed predecessor left running and fails its tasks at once, so that the law need not wait for a
 * heartbeat to run out (decision 15). A task that the engine does not know (any more) is nobody's.
 */
export async function takeOver(
  journal: HostJournal,
  engine: { address: string; namespace: string },
  log: Logger,
): Promise<void> {
  const left = journal.left();
  if (left.length === 0) return;
  const running = left.filter((task) => task.running).map(({ containmentId }) => containmentId);
  if (running.length > 0) log.warn({ tasks: running }, 'ending what a killed host left running');
  await Promise.all(running.map((containmentId) => killContainment(containmentId)));
  const connection = await Connection.connect({ address: engine.address });
  const { activity } = new Client({ connection, namespace: engine.namespace });
  const failure = ApplicationFailure.create({ type: 'host/crashed', message: 'The host was killed while it worked.' });
  for (const { token, containmentId } of left) {
    try {
      await activity.fail(token, failure);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.debug({ err: error, task: containmentId }, 'the engine does not know a task that was left');
    }
  }
  await connection.close();
  journal.forget();
}

/** INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION of gRPC: an engine that lost its data takes no token from before. */
const refusals = [3, 5, 9];

/** The engine's last word on a token; an engine that is not well enough to answer is asked again by the next start. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ActivityNotFoundError || error instanceof NamespaceNotFoundError) return true;
  const { cause } = error instanceof ServiceError ? error : {};
  return isGrpcServiceError(cause) && refusals.includes(cause.code);
}
