import { setTimeout as delay } from 'node:timers/promises';
import { Channel } from '#core/notify/channel.ts';
import { retryAfterSeconds } from '#core/notify/retry-schedule.ts';
import type { Logger } from '#infra/log.ts';
import type { Delivery } from '#infra/notify/channels.ts';
import type { SendOutcome } from '#infra/notify/outcome.ts';
import type { OutboxStore, TakenNotification } from '#infra/postgres/outbox-store.ts';

const everyMs = 1_000;
/** Sends under way on a channel, above which no more of it is taken: a receiver that hangs holds up its own channel only. */
const mostOnChannel = 8;

export interface Notifying {
  outbox: OutboxStore;
  send: (delivery: Delivery) => Promise<SendOutcome>;
}

/** How long sends may go on after the signal: what is cut off would be sent again. */
const graceMs = 2_000;

/**
 * Drains the outbox until the signal. At least once: a process that dies between sending and marking leaves a
 * notification that is sent again under the same id. No trouble here reaches a run.
 */
export async function notifyUntil(notifying: Notifying, log: Logger, signal: AbortSignal): Promise<void> {
  const underWay = new Map<Promise<void>, Channel>();
  const cutOff = new AbortController();
  while (!signal.aborted) {
    for (const taken of await takeDue(notifying.outbox, freeChannels(underWay), log)) {
      const sending = sendOne(notifying, taken, log, cutOff.signal).finally(() => underWay.delete(sending));
      underWay.set(sending, taken.channel);
    }
    await nextLook([...underWay.keys()], signal);
  }
  const grace = setTimeout(() => cutOff.abort(), graceMs);
  await Promise.all(underWay.keys());
  clearTimeout(grace);
}

async function takeDue(outbox: OutboxStore, channels: Channel[], log: Logger): Promise<TakenNotification[]> {
  if (channels.length === 0) return [];
  try {
    return await outbox.take(channels, mostOnChannel);
  } catch (error) {
    log.warn({ err: error }, 'the outbox cannot be read; the next look tries again');
    return [];
  }
}

function freeChannels(underWay: ReadonlyMap<unknown, Channel>): Channel[] {
  const busy = [...underWay.values()];
  return Channel.options.filter((channel) => busy.filter((one) => one === channel).length < mostOnChannel);
}

/** What was sent may free the next of its run, so the end of a send is a reason to look. */
async function nextLook(underWay: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const looked = new AbortController();
  const leave = () => looked.abort();
  signal.addEventListener('abort', leave);
  const pause = delay(everyMs, undefined, { signal: looked.signal }).catch(() => undefined);
  await Promise.race([...underWay, pause]);
  signal.removeEventListener('abort', leave);
  looked.abort();
}

async function sendOne(
  { outbox, send }: Notifying,
  taken: TakenNotification,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { channel, content } = taken;
  const about = { channel, notification: content.kind === 'readable' ? content.notification.id : taken.id };
  try {
    const outcome = await outcomeOf(send, taken, signal);
    if (outcome.kind === 'sent') {
      if (outcome.note !== undefined) log.warn({ ...about, note: outcome.note }, 'a notification reached some only');
      return await outbox.markSent(taken);
    }
    if (outcome.kind === 'later' && signal.aborted) return await outbox.release(taken);
    const seconds = outcome.kind === 'later' ? retryAfterSeconds(taken.tries, taken.ageSeconds) : undefined;
    const told = { ...about, reason: outcome.reason, tries: taken.tries, nextInSeconds: seconds };
    log.warn(
      told,
      seconds === undefined ? 'a notification is given up' : 'a notification was not taken; it is sent again',
    );
    await outbox.markFailed(taken, outcome.reason, seconds);
  } catch (error) {
    log.warn({ ...about, err: error }, 'what became of a notification cannot be noted; it is sent again');
  }
}

async function outcomeOf(
  send: Notifying['send'],
  { channel, content }: TakenNotification,
  signal: AbortSignal,
): Promise<SendOutcome> {
  if (content.kind === 'unreadable') return { kind: 'later', reason: content.reason };
  const { notification, callback } = content;
  // What no sender foresaw is bounded by the schedule like any other failure.
  return send({ channel, notification, callback, signal }).catch((error: unknown): SendOutcome => {
    return { kind: 'later', reason: error instanceof Error ? error.message : String(error) };
  });
}
