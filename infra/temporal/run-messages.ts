import type { MessageAnswer, RunMessage } from '#core/contract/seat.ts';
import type { RunDefinition } from '#core/contract/steer.ts';
import { unreachable } from '#core/exhaustive.ts';
import { may } from '#core/run/may.ts';
import type { RefusalCode } from '#core/run/run-codes.ts';
import type { MessageStore, StoredMessage } from '#infra/postgres/message-store.ts';
import type { RunRow } from '#infra/postgres/run-store.ts';
import { foldRecord, seatAgain, type Seating, startFromRecord } from '#infra/temporal/reseat.ts';

export interface Messaging extends Seating {
  messages: MessageStore;
}

/** `pending`: stored, and no worker answered yet; the sweeper sends it again. */
export type MessageFate = MessageAnswer | { kind: 'pending' } | { kind: 'conflict' };

/**
 * Puts a message to a run (decision 12): stored first, then judged by the run's workflow, the row keeps the answer. The
 * same id again gives the same answer, or sends it again; another message under that id is a `conflict` (D2). A closed
 * run is retried on its next seat. Faults: `store/unavailable`.
 */
export async function sendRunMessage(
  messaging: Messaging,
  runId: string,
  message: RunMessage,
  definition?: RunDefinition,
): Promise<MessageFate> {
  const put = await messaging.messages.put(runId, message, definition);
  return put.kind === 'conflict' ? put : deliver(messaging, put.stored);
}

/** Sends a stored message, and stores its answer. Safe to repeat, by several at once. */
export async function deliver(messaging: Messaging, stored: StoredMessage): Promise<MessageFate> {
  if (stored.answer !== null) return stored.answer;
  const run = await messaging.runs.find(stored.runId);
  const fate = run === undefined ? notThere : await judge(messaging, run, stored);
  return fate.kind === 'pending' ? fate : messaging.messages.settle(stored.message.id, fate);
}

type Judged = MessageAnswer | { kind: 'pending' };

const notThere: MessageAnswer = {
  kind: 'refused',
  code: 'run/not-found' satisfies RefusalCode,
  message: 'The run is not there any more. See which are: setpoint runs.',
};

async function judge(messaging: Messaging, run: RunRow, stored: StoredMessage): Promise<Judged> {
  const { message } = stored;
  // The claim was made for this message; whoever made it may have died before the seat was started.
  if (stored.seat === run.seat) return begin(messaging, { run, seat: run.seat, message });
  const sent = await messaging.engine.sendMessage(run.runId, run.seat, message);
  switch (sent.kind) {
    case 'applied':
    case 'refused':
      return sent;
    case 'no_answer':
      return { kind: 'pending' };
    case 'seat_closed':
      return judgeWithoutSeat(messaging, run, { message, gone: 'closed' });
    case 'seat_missing':
      return judgeWithoutSeat(messaging, run, { message, gone: 'missing' });
    default:
      return unreachable(sent);
  }
}

interface WithoutSeat {
  message: RunMessage;
  gone: 'missing' | 'closed';
}

/** The seat has no workflow: the run ended, or its workflow was lost. The record tells which. */
async function judgeWithoutSeat(messaging: Messaging, asked: RunRow, { message, gone }: WithoutSeat): Promise<Judged> {
  const run = await messaging.runs.find(asked.runId);
  if (run === undefined) return notThere;
  // Another gave it a seat meanwhile, which answers when the message is sent again.
  if (run.seat !== asked.seat) return { kind: 'pending' };
  const { state } = await foldRecord(messaging.runs, run);
  const answer = may(run.plan, state, message);
  const isNew = !state.messages.includes(message.id);
  if (run.summary.status !== 'ended' && isNew) {
    await seatAgain(messaging, run, gone);
    // Its new seat answers when the message is sent again.
    return { kind: 'pending' };
  }
  // What else is allowed once a run has ended changes nothing of it, such as the answer that was given before (D2).
  const retries = message.kind === 'retry' && isNew && answer.kind === 'applied';
  return retries ? retryClosed(messaging, run, message) : answer;
}

async function retryClosed(messaging: Messaging, run: RunRow, message: RunMessage): Promise<Judged> {
  const { runId, seat: before } = run;
  const seat = await messaging.runs.claimNextSeat({ runId, seat: before, run: 'ended', messageId: message.id });
  // Another retry was quicker; the workflow that it started judges this one.
  if (seat === undefined) return { kind: 'pending' };
  return begin(messaging, { run, seat, message });
}

async function begin(
  messaging: Messaging,
  claimed: { run: RunRow; seat: number; message: RunMessage },
): Promise<Judged> {
  const started = await startFromRecord(messaging, { ...claimed, reason: 'retry' });
  return started === 'started' ? { kind: 'applied' } : { kind: 'pending' };
}
