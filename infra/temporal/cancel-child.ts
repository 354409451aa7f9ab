import { type Messaging, sendRunMessage } from '#infra/temporal/run-messages.ts';

/**
 * Cancels a child run that no longer counts. Once this returns the message is stored: when nobody answers now, the sweeper
 * sends it again. One that has ended is left alone: its own word is on its way. Faults: `store/unavailable`.
 */
export async function cancelChildOf(
  messaging: Messaging,
  { parentId, runId }: { parentId: string; runId: string },
): Promise<void> {
  const child = await messaging.runs.find(runId);
  if (child === undefined || child.summary.status === 'ended') return;
  const reason = `Its parent ${parentId} no longer needs it.`;
  await sendRunMessage(messaging, runId, { kind: 'cancel', id: `parent-cancel:${runId}`, reason });
}
