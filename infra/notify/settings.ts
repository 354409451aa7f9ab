import { z } from 'zod';
import { type NotificationType, notificationTypes } from '#core/notify/notification.ts';

const address = z.url({ protocol: /^https?$/, error: 'must be a url that begins with https:// or http://' });
const line = z.string().regex(/^[^\r\n]+$/, 'must be one line');

/** The settings of notifications, under their own names. */
export const notifySettings = {
  SETPOINT_NOTIFY_WEBHOOK: address.optional(),
  SETPOINT_NOTIFY_WEBHOOK_SECRET: z
    .string()
    .regex(/^(whsec_[A-Za-z0-9+/]{22,}={0,2}|(?!whsec_).{16,})$/, 'must be whsec_ and base64, or 16 characters or more')
    .optional(),
  SETPOINT_NOTIFY_SLACK: address.optional(),
  SETPOINT_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a url that begins with smtp:// or smtps://' })
    .optional(),
  SETPOINT_NOTIFY_EMAIL: line.optional(),
  SETPOINT_NOTIFY_FROM: line.optional(),
  SETPOINT_NOTIFY_EVENTS: z
    .string()
    .refine((given) => listed(given).every(isNotificationType), {
      error: `must be a comma list of ${notificationTypes.join(', ')}`,
    })
    .optional(),
  SETPOINT_NOTIFY_ALLOW: z
    .string()
    .refine((given) => listed(given).every((host) => /^(\*\.)?[\w.:-]+$/.test(host)), {
      error: 'must be a comma list of hosts, such as hooks.example.com, *.example.com',
    })
    .optional(),
};

const NotifySettings = z.object(notifySettings);
export type NotifySettings = z.infer<typeof NotifySettings>;

/** What must be set together. A setting that lacks another is named with what it lacks. */
export function missingTogether(values: NotifySettings): { name: keyof NotifySettings; message: string }[] {
  const pairs: [keyof NotifySettings, keyof NotifySettings][] = [
    ['SETPOINT_NOTIFY_WEBHOOK', 'SETPOINT_NOTIFY_WEBHOOK_SECRET'],
    ['SETPOINT_SMTP_URL', 'SETPOINT_NOTIFY_EMAIL'],
    ['SETPOINT_NOTIFY_EMAIL', 'SETPOINT_SMTP_URL'],
    ['SETPOINT_NOTIFY_EMAIL', 'SETPOINT_NOTIFY_FROM'],
  ];
  return pairs
    .filter(([given, needed]) => values[given] !== undefined && values[needed] === undefined)
    .map(([given, needed]) => ({ name: given, message: `needs ${needed} beside it` }));
}

/** Whom notifications go to, and which. */
export interface NotifyConfig {
  /** Signed by the secret. */
  webhook: { url: string; secret: string } | undefined;
  /** Of an incoming webhook; the url is its own secret. */
  slack: string | undefined;
  email: { smtpUrl: string; from: string; to: string[] } | undefined;
  /** Which kinds of notification the settings' channels hear of. */
  types: readonly NotificationType[];
  /** Hosts that a run's callback may name, in lower case; any when undefined. */
  callbackHosts: string[] | undefined;
}

export function toNotifyConfig(values: NotifySettings): NotifyConfig {
  const { SETPOINT_NOTIFY_WEBHOOK: webhook, SETPOINT_NOTIFY_WEBHOOK_SECRET: secret } = values;
  const { SETPOINT_SMTP_URL: smtpUrl, SETPOINT_NOTIFY_EMAIL: to, SETPOINT_NOTIFY_FROM: from } = values;
  const { SETPOINT_NOTIFY_EVENTS: events, SETPOINT_NOTIFY_ALLOW: hosts } = values;
  return {
    webhook: webhook === undefined || secret === undefined ? undefined : { url: webhook, secret },
    slack: values.SETPOINT_NOTIFY_SLACK,
    email:
      smtpUrl === undefined || to === undefined || from === undefined ? undefined : { smtpUrl, from, to: listed(to) },
    types: events === undefined ? notificationTypes : listed(events).filter(isNotificationType),
    callbackHosts: hosts === undefined ? undefined : listed(hosts).map((host) => host.toLowerCase()),
  };
}

function listed(given: string): string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function isNotificationType(given: string): given is NotificationType {
  return notificationTypes.some((type) => type === given);
}
