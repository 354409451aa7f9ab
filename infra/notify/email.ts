import { createTransport } from 'nodemailer';
import { messageOf } from '#core/notify/message.ts';
import type { Notification } from '#core/notify/notification.ts';
import { reasonOf, type SendOutcome } from '#infra/notify/outcome.ts';

export interface MailTarget {
  /** `smtp://` (STARTTLS where the server offers it) or `smtps://`, with user and password. */
  smtpUrl: string;
  from: string;
  to: readonly string[];
}

/** Sends a mail of plain text. Its Message-ID is made of the notification's id, so that a mailbox can tell a repeat. */
export async function sendMail(
  target: MailTarget,
  notification: Notification,
  signal: AbortSignal,
): Promise<SendOutcome> {
  // A connection of its own, ended with the try: nothing is kept open between notifications.
  const transport = createTransport({
    url: target.smtpUrl,
    // What is sent is text: no part of it is ever read from a file or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { rejected } = await transport.sendMail({ ...mailOf(target, notification), signal });
    // Some took it: sending it again would reach them twice.
    return rejected.length === 0
      ? { kind: 'sent' }
      : { kind: 'sent', note: `The mail server refused ${rejected.join(', ')}.` };
  } catch (error) {
    return { kind: isFinal(error) ? 'never' : 'later', reason: reasonOf(error) };
  }
}

function mailOf({ from, to }: MailTarget, notification: Notification) {
  const { title, body, commands, url } = messageOf(notification);
  return {
    from,
    to: [...to],
    subject: title,
    text: [body, '', ...commands, url, ''].join('\n'),
    messageId: `<${notification.id.replaceAll(/[^\w.-]/g, '.')}@setpoint>`,
    date: new Date(notification.at),
    // Nobody's holiday answers it (RFC 3834).
    headers: { 'auto-submitted': 'auto-generated' },
  };
}

/** A refused sign-in is a matter of settings, which somebody can mend while it waits. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error) || !('permanent' in error)) return false;
  return error.permanent === true && !('code' in error && error.code === 'EAUTH');
}
