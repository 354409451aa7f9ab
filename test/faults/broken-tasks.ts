import { Client, Connection } from '@temporalio/client';
import { seatId } from '#core/contract/seat-name.ts';
import type { TestStack } from './stack.ts';

/** `WORKFLOW_TASK_FAILED` of the engine's history. */
const taskFailed = 9;
/** Something arrived while the task ran, so it is given out again: how the engine works, no bug. */
const unhandledCommand = 1;

/** The messages of the workflow tasks that failed in the run's seat. */
export async function brokenTasks(stack: TestStack, runId: string): Promise<string[]> {
  const [row] = await stack.query<{ seat: number }>('select seat from runs where run_id = $1', [runId]);
  const { temporalAddress, temporalNamespace } = stack.state();
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const client = new Client({ connection, namespace: temporalNamespace });
    const { events } = await client.workflow.getHandle(seatId(runId, row?.seat ?? 1)).fetchHistory();
    return (events ?? []).flatMap(({ eventType, workflowTaskFailedEventAttributes: failed }) => {
      const broken = eventType === taskFailed && failed?.cause !== unhandledCommand;
      return broken ? [failed?.failure?.message ?? 'no message'] : [];
    });
  } finally {
    await connection.close();
  }
}
