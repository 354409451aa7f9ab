import { tasksOf } from '#core/run/apply-task.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import type { RunState } from '#core/run/state.ts';

import { eventLines } from '#cli/render/event-lines.ts';
import type { Line } from '#cli/render/line.ts';
import { taskLines } from '#cli/render/task-lines.ts';

/** Every open question with the commands that decide it, the oldest first. Pure. */
export function openTaskLines(state: RunState): Line[] {
  return tasksOf(state)
    .filter(({ task }) => task.status === 'open')
    .toSorted((a, b) => a.task.openedAt - b.task.openedAt)
    .flatMap(({ task }) => taskLines(task.id, task.question));
}

/** Who decided and steered what, and when, in the order in which it happened. Pure. */
export function peopleLines(events: readonly StoredEvent[]): Line[] {
  return events.flatMap(({ event }): Line[] => {
    if (!isPersons(event)) return [];
    const step = event.type === 'task.decided' ? `${event.step}: ` : '';
    const text = eventLines(event)[0]?.text.trim() ?? '';
    return [{ tone: 'plain', text: `  ${new Date(event.at).toISOString()}  ${step}${text}` }];
  });
}

/** What came as a message is a person's or a program's doing, but for the word of a child run. */
function isPersons(event: RunEvent): boolean {
  return event.type !== 'child.settled' && 'messageId' in event && event.messageId !== undefined;
}
