import { ActivityNotFoundError, Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from '#infra/log.ts';
import { killContainment } from '#infra/process/containment.ts';
import type { HostJournal } from '#workers/host/journal.ts';

/**
 * Ends what a killed predecessor left running and fails its tasks at once, so that the law need not wait for a
 * heartbeat to run out (decision 15). A task that the engine has given up already is nobody's any more.
 */
export async function takeOver(
  journal: HostJournal,
  engine: { address: string; namespace: string },
  log: Logger,
): Promise<void> {
  const left = journal.left();
  if (left.length === 0) return;
  log.warn({ tasks: left.map(({ containmentId }) => containmentId) }, 'ending what a killed host left running');
  await Promise.all(left.map(({ containmentId }) => killContainment(containmentId)));
  const connection = await Connection.connect({ address: engine.address });
  const { activity } = new Client({ connection, namespace: engine.namespace });
  const failure = ApplicationFailure.create({ type: 'host/crashed', message: 'The host was killed while it worked.' });
  for (const { token } of left) {
    try {
      await activity.fail(token, failure);
    } catch (error) {
      if (!(error instanceof ActivityNotFoundError)) throw error;
    }
  }
  await connection.close();
  journal.forget();
}
