import type { CancelChildInput } from '#core/contract/activities.ts';
import type { CallDeps } from '#activities/calls/call-deps.ts';
import { sendRunMessage } from '#infra/temporal/run-messages.ts';

/**
 * Cancels a child that no longer counts. Once this returns the message is stored: when nobody answers now, the sweeper
 * sends it again. One that has ended is left alone: its own word is on its way. Faults: `store/unavailable`.
 */
export async function cancelChild({ messaging }: CallDeps, { parentId, runId }: CancelChildInput): Promise<void> {
  const child = await messaging.runs.find(runId);
  if (child === undefined || child.summary.status === 'ended') return;
  const reason = `Its parent ${parentId} no longer needs it.`;
  await sendRunMessage(messaging, runId, { kind: 'cancel', id: `parent-cancel:${runId}`, reason });
}
