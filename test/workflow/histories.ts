import type { WorkflowClient } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import type { SeatInput } from '#core/contract/seat.ts';

/** The histories of a seat, over all its continue-as-new, first to last. */
export async function historiesOf(client: WorkflowClient, workflowId: string, firstRunId: string): Promise<History[]> {
  const histories: History[] = [];
  for (let runId: string | undefined = firstRunId; runId !== undefined;) {
    const history: History = await client.getHandle(workflowId, runId).fetchHistory();
    histories.push(history);
    const end = history.events?.at(-1);
    runId = end?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return histories;
}

/** What a history's workflow was started with. */
export function startedWith(history: History): SeatInput {
  const payload = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  if (payload == null) throw new TypeError('the history does not begin with the start of a workflow');
  return defaultPayloadConverter.fromPayload<SeatInput>(payload);
}

/** The task queues of the activities of a type, in the order in which they were scheduled. */
export function queuesOf(histories: readonly History[], activity: string): string[] {
  return histories.flatMap(({ events }) =>
    (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === activity ? [scheduled.taskQueue?.name ?? ''] : [],
    ),
  );
}

/** Events of history from one scheduling of `activity` to the next, on the mean, over all seats. */
export function eventsPerTurn(histories: readonly History[], activity: string): number {
  const events = histories.flatMap((history) => history.events ?? []);
  const turns = events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }, index) =>
    scheduled?.activityType?.name === activity ? [index] : [],
  );
  return ((turns.at(-1) ?? 0) - (turns[0] ?? 0)) / (turns.length - 1);
}

/**
 * Workflow tasks that failed for a bug of ours. A task that lost against a message which came at the same time is none:
 * the engine then asks again with the message.
 */
export function failedTasks(histories: readonly History[]): string[] {
  return histories.flatMap(({ events }) =>
    (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => {
      const message = failed?.failure?.message ?? 'UnhandledCommand';
      return message === 'UnhandledCommand' ? [] : [message];
    }),
  );
}
