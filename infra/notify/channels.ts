import type { Callback, Channel } from '#core/notify/channel.ts';
import type { Notification } from '#core/notify/notification.ts';
import { unreachable } from '#core/exhaustive.ts';
import { sendMail } from '#infra/notify/email.ts';
import { type SendOutcome, sendMs } from '#infra/notify/outcome.ts';
import { withinLimit } from '#infra/process/time-limit.ts';
import type { NotifyConfig } from '#infra/notify/settings.ts';
import { sendSlack } from '#infra/notify/slack.ts';
import { sendWebhook } from '#infra/notify/webhook.ts';

export interface Delivery {
  channel: Channel;
  notification: Notification;
  callback: Callback | null;
  signal: AbortSignal;
}

/** The value that a run's reference names (`env:NAME`, `secret:NAME`); undefined when there is none. */
export type SecretOf = (reference: string, runId: string) => Promise<string | undefined>;

/** The channels that the settings open, in the order of sending. */
export function openChannels({ webhook, slack, email }: NotifyConfig): Channel[] {
  const open: [Channel, unknown][] = [
    ['webhook', webhook],
    ['slack', slack],
    ['email', email],
  ];
  return open.flatMap(([channel, target]) => (target === undefined ? [] : [channel]));
}

/** Sends one notification on one channel, once, within a limit of 10 s. */
export function send(
  settings: NotifyConfig,
  secretOf: SecretOf,
  delivery: Delivery,
  limitMs: number = sendMs,
): Promise<SendOutcome> {
  return withinLimit(delivery.signal, limitMs, (signal) => sendOn(settings, secretOf, { ...delivery, signal }));
}

async function sendOn(settings: NotifyConfig, secretOf: SecretOf, delivery: Delivery): Promise<SendOutcome> {
  const { channel, notification, callback, signal } = delivery;
  switch (channel) {
    case 'webhook':
      if (settings.webhook === undefined) return unset('SETPOINT_NOTIFY_WEBHOOK');
      return sendWebhook({ ...settings.webhook, reach: { kind: 'any' } }, notification, signal);
    case 'slack':
      if (settings.slack === undefined) return unset('SETPOINT_NOTIFY_SLACK');
      return sendSlack(settings.slack, notification, signal);
    case 'email':
      if (settings.email === undefined) return unset('SETPOINT_NOTIFY_EMAIL');
      return sendMail(settings.email, notification, signal);
    case 'callback':
      if (callback === null) return { kind: 'never', reason: 'The run has no callback.' };
      return sendCallback(settings, secretOf, { ...delivery, callback });
    default:
      return unreachable(channel);
  }
}

async function sendCallback(
  settings: NotifyConfig,
  secretOf: SecretOf,
  { notification, callback, signal }: Delivery & { callback: Callback },
): Promise<SendOutcome> {
  const { url, secret: reference } = callback;
  const secret = reference === undefined ? undefined : await secretOf(reference, notification.run.id);
  if (reference !== undefined && (secret === undefined || secret === '')) {
    // Never unsigned in place of signed: a receiver that checks would lose it.
    return { kind: 'later', reason: `${reference}, which signs it, has no value.` };
  }
  return sendWebhook({ url, secret, reach: { kind: 'guarded', hosts: settings.callbackHosts } }, notification, signal);
}

/** Written while the channel was open, and found by a worker for which it is not: another may know it. */
function unset(setting: string): SendOutcome {
  return { kind: 'later', reason: `${setting} is not set.` };
}
