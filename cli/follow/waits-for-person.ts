import type { RunSummary } from '#core/run/summary.ts';

/** Whether a run goes on only when a person acts (E2): it is paused, or waits with a task open. */
export function waitsForPerson({ status, task }: Pick<RunSummary, 'status' | 'task'>): boolean {
  return status === 'paused' || (status === 'waiting' && task !== undefined);
}
