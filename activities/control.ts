import type { ControlActivities, Recorded, RecordInput, Recovered } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import type { WorkKey } from '#core/contract/work-key.ts';
import type { AttemptStore } from '#infra/postgres/attempt-store.ts';
import type { EventStore } from '#infra/postgres/event-store.ts';
import { toFailure } from '#activities/failure.ts';

export interface ControlDeps {
  events: Pick<EventStore, 'appendEvents'>;
  attempts: Pick<AttemptStore, 'find'>;
}

/** How long recording may hold up a workflow task; a database that is slower is asked again later. */
const recordMs = 500;

/** The light work of the control worker, safe to run twice. Only recording is a local activity (see `workflows/in-flight.ts`). */
export function createControlActivities({
  events,
  attempts,
}: ControlDeps): Pick<ControlActivities, 'recordEvents' | 'recoverAttempt'> {
  return {
    recordEvents: (input) => record(events, input),
    recoverAttempt: (key) => recover(attempts, key),
  };
}

/** Never fails the workflow: a database that is away answers `later`, and what lands late lands once. */
async function record(events: ControlDeps['events'], input: RecordInput): Promise<Recorded> {
  const appended = events.appendEvents(input).catch((error: unknown): Recorded => {
    if (error instanceof Fault && error.code === 'store/unavailable') return 'later';
    throw error;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Recorded>((done) => {
    timer = setTimeout(() => done('later'), recordMs);
  });
  try {
    return await Promise.race([appended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What an interrupted attempt left in the store (decision 4). */
async function recover(attempts: ControlDeps['attempts'], key: WorkKey): Promise<Recovered> {
  try {
    const stored = await attempts.find(key);
    if (stored?.result != null) return { kind: 'finished', result: stored.result };
    if (stored?.stage === 'ran') return { kind: 'resumable' };
    return { kind: 'lost', spend: stored?.spend ?? { estimated: false, inputTokens: 0, outputTokens: 0 } };
  } catch (error) {
    throw toFailure(error);
  }
}
