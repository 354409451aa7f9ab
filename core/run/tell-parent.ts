import type { RecordInput } from '#core/contract/activities.ts';
import type { RunMessageOf } from '#core/contract/seat.ts';

/** A message to the parent run `to`, stored with the event `seq` of its child. */
export interface ParentTold {
  seq: number;
  to: string;
  message: RunMessageOf<'childSettled'>;
}

/** What a batch of a child's record tells its parent: how the child ended. A child that is retried ends once more. */
export function tellParent({ runId, parent, events }: Pick<RecordInput, 'runId' | 'parent' | 'events'>): ParentTold[] {
  if (parent === undefined) return [];
  const { runId: to, step, pass, index } = parent;
  return events.flatMap(({ seq, event }) => {
    if (event.type !== 'run.stopped' || event.toParent === undefined) return [];
    const { stop, toParent } = event;
    const id = `child:${runId}:${seq}`;
    const settled = { kind: 'childSettled' as const, id, step, pass, index, runId, stop: stop.kind, toParent };
    return [{ seq, to, message: settled }];
  });
}
