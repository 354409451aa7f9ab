import type { RecordInput } from '#core/contract/activities.ts';
import type { Channel } from '#core/notify/channel.ts';
import { type NotificationFacts, notificationsOf, type NotificationType } from '#core/notify/notification.ts';

/** A notification on its way out, to be stored with the event that it tells of. */
export interface OutboxRow {
  seq: number;
  channel: Channel;
  facts: NotificationFacts;
}

/** What is told to whom by the settings. */
export interface Audience {
  channels: readonly Channel[];
  types: readonly NotificationType[];
}

/**
 * The rows of a batch of events. A run's own callback hears of the end only, whatever the settings say; the store leaves
 * its row out where the run has none.
 */
export function outboxRows(
  { channels, types }: Audience,
  batch: Pick<RecordInput, 'runId' | 'events' | 'summary'>,
): OutboxRow[] {
  return notificationsOf(batch).flatMap(({ seq, facts }) => {
    const heard: Channel[] = types.includes(facts.type) ? channels.filter((channel) => channel !== 'callback') : [];
    if (facts.type === 'run.ended') heard.push('callback');
    return heard.map((channel) => ({ seq, channel, facts }));
  });
}
