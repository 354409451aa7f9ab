import { expect } from 'vitest';
import { fold } from '#core/run/apply.ts';
import { summarise } from '#core/run/summarise.ts';
import type { Played } from './harness.ts';
import { failedTasks } from './histories.ts';

/**
 * What holds of every run that was played: each event arrives once, in order, without a gap; nothing follows the stop but
 * a retry (E9); no workflow task failed; and folding the record gives the workflow's own state, as told by every summary and at every
 * continue-as-new (docs/architecture.md).
 */
export function expectWhole(played: Played): void {
  const { plan, stored } = played;
  expect(failedTasks(played.histories)).toEqual([]);
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  const folded = (seq: number) => fold(plan, played.events.slice(0, seq));
  played.events.forEach((event, index) => {
    const before = played.events[index - 1];
    if (before?.type === 'run.stopped') expect(event.type).toBe('run.retried');
  });
  for (const summary of played.summaries) expect(summary).toEqual(summarise(plan, folded(summary.seq), summary.seq));
  for (const { resume } of played.seats) {
    if (resume !== undefined) expect(resume.state).toEqual(folded(resume.seq));
  }
  if (played.ended.as === 'completed') expect(folded(stored.length).stop?.kind).toBe(played.ended.stop);
}
