import type { StoredMessage } from '#infra/postgres/message-store.ts';
import { deliver } from '#infra/temporal/run-messages.ts';
import type { ApiParts } from '#api/parts.ts';

/** Messages under way at once. */
const lanes = 8;
/** How long the caller waits for them: long enough for a few dozen runs. */
const waitMs = 2_000;

/**
 * Sends messages that are stored, many at a time. What takes longer goes on after the caller was answered; what is not
 * sent then, for whatever reason, is the sweeper's.
 */
export async function sendAll(parts: ApiParts, messages: readonly StoredMessage[]): Promise<void> {
  const left = messages.values();
  const sent = Promise.all(Array.from({ length: lanes }, () => sendFrom(parts, left)));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([sent, late]);
  clearTimeout(timer);
}

/** Never rejects: one that fails is stored, and the next may fare better. */
async function sendFrom(parts: ApiParts, left: IterableIterator<StoredMessage>): Promise<void> {
  for (const stored of left) {
    await deliver(parts, stored).catch((error: unknown) => {
      parts.log.warn({ err: error, message: stored.message.id }, 'a message is left to the sweeper');
    });
  }
}
