import { messageOf } from '#core/notify/message.ts';
import type { Notification } from '#core/notify/notification.ts';
import { head } from '#core/text/tail.ts';
import type { SendOutcome } from '#infra/notify/outcome.ts';
import { post } from '#infra/notify/post.ts';

/** What Slack takes in a header and in a section, in characters. */
const most = { header: 150, section: 3_000 };

/**
 * Posts to an incoming webhook of Slack, or of one that speaks its language. Blocks for those who show them, and the
 * whole as plain text for those who do not.
 */
export function sendSlack(url: string, notification: Notification, signal: AbortSignal): Promise<SendOutcome> {
  const body = JSON.stringify(slackMessage(notification));
  return post({ url, reach: { kind: 'any' }, headers: { 'user-agent': 'setpoint' }, body, signal });
}

export function slackMessage(notification: Notification) {
  const { title, body, commands, url } = messageOf(notification);
  const lines = [...commands, url].join('\n');
  return {
    text: escaped(`${title}\n${body}\n${lines}`),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: head(title, most.header), emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: head(body, most.section), emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: head(commands.join('\n'), most.section), emoji: false } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: `<${escaped(encodeURI(url))}|Look at it>` }] },
    ],
  };
}

/** Slack's three characters of control: without them no text mentions a channel or hides a link. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
