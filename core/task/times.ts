import type { PersonPlan } from '#core/plan/plan.ts';
import type { TaskState } from '#core/task/task.ts';

/** What becomes due while a question is open (D5), epoch ms, the earliest first; ties in the order of their effect. */
export type TaskTime = { at: number } & ({ what: 'remind'; count: number } | { what: 'escalate' } | { what: 'expire' });

/** All that is still to come for an open question; empty for one that is not open. */
export function taskTimes(person: PersonPlan, task: TaskState): TaskTime[] {
  if (task.status !== 'open') return [];
  const times: TaskTime[] = [];
  const { remindSeconds, escalate, time } = person;
  const after = (seconds: number): number => task.openedAt + seconds * 1000;
  if (time !== undefined && time.onExpiry !== 'escalate') times.push({ what: 'expire', at: after(time.limitSeconds) });
  const escalateAfter = escalateSeconds(time, escalate);
  if (escalateAfter !== undefined && !task.escalated) times.push({ what: 'escalate', at: after(escalateAfter) });
  if (remindSeconds !== undefined) {
    const count = task.reminders + 1;
    times.push({ what: 'remind', at: after(remindSeconds * count), count });
  }
  return times.toSorted((a, b) => a.at - b.at);
}

function escalateSeconds(time: PersonPlan['time'], escalate: PersonPlan['escalate']): number | undefined {
  const limits = [escalate?.afterSeconds, time?.onExpiry === 'escalate' ? time.limitSeconds : undefined];
  const given = limits.filter((seconds) => seconds !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
