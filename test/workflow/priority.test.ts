import { randomBytes } from 'node:crypto';
import { once, EventEmitter } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { placementQueue } from '#core/contract/queue.ts';
import type { SeatInput } from '#core/contract/seat.ts';
import { runWorkflowType, seatId } from '#core/contract/seat-name.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';
import { plan, step } from '../fakes/plans.ts';
import { until } from '../faults/until.ts';
import { withTemporal } from '../integration/with-temporal.ts';
import { bundleSources } from './bundle.ts';
import { workspaceAt } from './outcomes.ts';

/** A server on which runs wait for a host that comes later, one task at a time. */
async function waitingRuns() {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const { address } = await withTemporal();
  const namespace = `priority-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await until('the namespace is there', async () => (await probeTemporal(address, namespace)) || undefined);
  const native = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
  const control = await Worker.create({
    connection: native,
    namespace,
    taskQueue: 'control',
    workflowBundle: await bundleSources(),
    activities: { recordEvents: async () => 'recorded' },
  });
  const running = [control.run()];
  const workers = [control];
  const opened: string[] = [];
  const news = new EventEmitter();
  const client = new Client({ connection, namespace });
  return {
    opened,
    client,
    start: (seat: Omit<SeatInput, 'seat' | 'plan' | 'inputs'>, project = 'default') =>
      client.workflow.start(runWorkflowType, {
        workflowId: seatId(seat.runId, 1),
        taskQueue: 'control',
        args: [{ ...seat, seat: 1, inputs: {}, plan: plan([step('work')], { project }) }],
      }),
    /** Until so many tasks lie on the queue of hosts. */
    async queued(count: number): Promise<void> {
      await until(`${count} tasks wait for a host`, async () => {
        const { stats } = await connection.workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name: placementQueue },
          taskQueueType: 2,
          reportStats: true,
        });
        return Number(stats?.approximateBacklogCount ?? 0) >= count || undefined;
      });
    },
    async host(count: number): Promise<void> {
      const worker = await Worker.create({
        connection: native,
        namespace,
        taskQueue: placementQueue,
        maxConcurrentActivityTaskExecutions: 1,
        activities: {
          openWorkspace: async ({ runId }: { runId: string }) => {
            opened.push(runId);
            news.emit('opened');
            return workspaceAt('nobody');
          },
        },
      });
      workers.push(worker);
      running.push(worker.run());
      while (opened.length < count) await once(news, 'opened');
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await native.close();
      await connection.close();
    },
  };
}

test('E2: the work of the most urgent run is taken first, whenever it came', async () => {
  const runs = await waitingRuns();
  try {
    for (const [index, priority] of [5, 5, 3, 3, 1].entries()) {
      await runs.start({ runId: `run-${index}-of-${priority}`, priority });
    }
    await runs.queued(5);
    await runs.host(5);
    expect(runs.opened.map((runId) => Number(runId.at(-1)))).toEqual([1, 3, 3, 5, 5]);
    const { history } = await runs.client.workflowService.getWorkflowExecutionHistory({
      namespace: runs.client.options.namespace,
      execution: { workflowId: seatId('run-4-of-1', 1) },
    });
    const scheduled = history?.events?.find((event) => event.activityTaskScheduledEventAttributes != null);
    expect(scheduled?.activityTaskScheduledEventAttributes?.priority).toMatchObject({
      priorityKey: 1,
      fairnessKey: 'default',
    });
  } finally {
    await runs.close();
  }
});
