import type { RunRow } from '#infra/postgres/run-store.ts';
import { seatAgain } from '#infra/temporal/reseat.ts';
import { cancelChildOf } from '#infra/temporal/cancel-child.ts';
import { deliver, type Messaging } from '#infra/temporal/run-messages.ts';

/** What a sweep found to do. */
export interface Swept {
  /** Open runs that had no workflow and have one now. */
  seated: string[];
  /** Messages that were sent again and answered. */
  answered: string[];
  /** Child runs that their parent left behind, and that were cancelled. */
  orphaned: string[];
}

const batch = 50;

/**
 * Puts right what a crash left half done (3.3, decisions 12 and 13): starts open runs whose workflow is missing, seats
 * those anew whose workflow is gone, sends pending messages again, and cancels children that no parent knows of. Does nothing while the engine does not answer:
 * an engine that is away has lost nothing. Call it every few seconds; several sweepers share the work.
 * Faults: `store/unavailable`.
 */
export async function sweepOnce(messaging: Messaging): Promise<Swept> {
  const swept: Swept = { seated: [], answered: [], orphaned: [] };
  if (!(await messaging.engine.isReachable())) return swept;
  // Messages first: a seat that was claimed for one must be started with it.
  for (const stored of await messaging.messages.takePending(batch)) {
    const fate = await deliver(messaging, stored);
    if (fate.kind !== 'pending') swept.answered.push(stored.message.id);
  }
  for (const run of await messaging.runs.takeQuiet(batch)) {
    if (await seatWhenGone(messaging, run)) swept.seated.push(run.runId);
  }
  for (const orphan of await messaging.runs.orphans(batch)) {
    await cancelChildOf(messaging, orphan);
    swept.orphaned.push(orphan.runId);
  }
  return swept;
}

async function seatWhenGone(messaging: Messaging, run: RunRow): Promise<boolean> {
  const condition = await messaging.engine.describeSeat(run.runId, run.seat);
  if (condition === 'running' || condition === 'unreachable') return false;
  return (await seatAgain(messaging, run, condition)) !== undefined;
}
