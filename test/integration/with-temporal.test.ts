import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { withTemporal } from './with-temporal.ts';

test('two calls share one real server and no task queue', async () => {
  const [one, two] = await Promise.all([withTemporal(), withTemporal()]);
  expect(one.address).toBe(two.address);
  expect(one.taskQueue).not.toBe(two.taskQueue);
  const connection = await Connection.connect({ address: one.address });
  const client = new Client({ connection, namespace: one.namespace });
  const workflowId = one.unique('run');
  await client.workflow.start('anything', { taskQueue: one.taskQueue, workflowId });
  expect((await client.workflow.getHandle(workflowId).describe()).status.name).toBe('RUNNING');
  await client.workflow.getHandle(workflowId).terminate();
  await connection.close();
});
