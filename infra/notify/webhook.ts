import { Webhook } from 'standardwebhooks';
import type { Notification } from '#core/notify/notification.ts';
import type { SendOutcome } from '#infra/notify/outcome.ts';
import { post } from '#infra/notify/post.ts';
import type { Reach } from '#infra/notify/reach.ts';

export interface WebhookTarget {
  url: string;
  /** `whsec_` and base64, or any text, whose bytes are the key. Absent: not signed. */
  secret: string | undefined;
  reach: Reach;
}

/**
 * Posts the notification as JSON by the Standard Webhooks scheme: `webhook-id` is the notification's id, the same with
 * every try; `webhook-signature` covers id, time and body.
 */
export async function sendWebhook(
  target: WebhookTarget,
  notification: Notification,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const body = JSON.stringify(notification);
  const now = new Date();
  const headers = {
    'user-agent': 'setpoint',
    'webhook-id': notification.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  };
  if (target.secret === undefined) return post({ ...target, headers, body, signal });
  let signature: string;
  try {
    signature = signer(target.secret).sign(notification.id, now, body);
  } catch {
    return { kind: 'later', reason: 'Its secret begins with whsec_ and goes on with what is not base64.' };
  }
  return post({ ...target, headers: { ...headers, 'webhook-signature': signature }, body, signal });
}

function signer(secret: string): Webhook {
  return secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
}
