import { unreachable } from '#core/exhaustive.ts';
import type { Notification } from '#core/notify/notification.ts';
import { limitsStep } from '#core/task/task.ts';

/** A notification for people's eyes. Plain text: whoever sends it escapes what his medium would read as markup. */
export interface Message {
  /** One line. */
  title: string;
  /** What happened and why; lines. */
  body: string;
  commands: string[];
  url: string;
}

export function messageOf(notification: Notification): Message {
  const { run, commands, url } = notification;
  const labels = run.labels.length === 0 ? '' : ` · ${run.labels.join(', ')}`;
  const place = `Run ${run.id} · project ${run.project}${labels}`;
  return {
    title: oneLine(titleOf(notification)),
    body: [...linesOf(notification), oneLine(place)].join('\n'),
    commands,
    url,
  };
}

function titleOf(notification: Notification): string {
  const { name } = notification.run;
  switch (notification.type) {
    case 'run.ended':
      return `${name}: ${notification.stop.kind.replaceAll('_', ' ')}`;
    case 'run.paused':
      return `${name}: paused`;
    case 'step.failed':
      return `${name}: step ${notification.step} failed`;
    case 'task.opened':
      return `${name}: ${askerOf(notification.task.step)} asks for a decision`;
    case 'task.reminded':
      return `${name}: ${askerOf(notification.task.step)} still waits for a decision`;
    case 'task.escalated':
      return `${name}: ${askerOf(notification.task.step)} waits for a decision, escalated`;
    default:
      return unreachable(notification);
  }
}

function askerOf(step: string): string {
  return step === limitsStep ? 'a limit that is used up' : `step ${step}`;
}

function linesOf(notification: Notification): string[] {
  switch (notification.type) {
    case 'run.ended':
      return [
        notification.stop.reason,
        ...remedyLine(notification.stop.remedy),
        ...deliveryLines(notification.delivery),
      ];
    case 'run.paused':
      return [notification.reason, ...remedyLine(notification.remedy)];
    case 'step.failed':
      return [notification.reason, ...(notification.continued ? ['The run goes on without it.'] : [])];
    case 'task.opened':
    case 'task.reminded':
    case 'task.escalated':
      return [notification.ask, ...whoLine(notification.who)];
    default:
      return unreachable(notification);
  }
}

function remedyLine(remedy: string | undefined): string[] {
  return remedy === undefined || remedy === '' ? [] : [`To clear it: ${remedy}`];
}

function whoLine(who: readonly string[]): string[] {
  return who.length === 0 ? [] : [`May be decided by: ${who.join(', ')}`];
}

function deliveryLines({ branch, commit }: { branch?: string | undefined; commit?: string | undefined }): string[] {
  if (branch !== undefined) return [`Delivered: branch ${branch}`];
  return commit === undefined ? [] : [`Delivered: commit ${commit}`];
}

/** A name comes from a definition and may hold line breaks, which end a header of a mail. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
