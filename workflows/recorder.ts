import { condition, proxyLocalActivities, sleep, TemporalFailure } from '@temporalio/workflow';

import type { ControlActivities, Recorded } from '#core/contract/activities.ts';
import type { SeatInput } from '#core/contract/seat.ts';
import type { StoredEvent } from '#core/run/event.ts';
import { summarise } from '#core/run/summarise.ts';
import { localOptions } from '#workflows/activity-options.ts';
import type { Log } from '#workflows/log.ts';

/** docs/architecture.md: batches of at most 100 events or 256 KiB. */
const batchLimit = { events: 100, characters: 256 * 1024 };
const backoff = { firstMs: 1000, mostMs: 30_000 };

export interface Recorder {
  /** Records for ever, one batch at a time; never awaited by the loop. Ends only when another seat owns the run. */
  work(): Promise<void>;
  /** Another seat carries the run: this one has nothing more to say. */
  superseded(): boolean;
  /** Everything emitted so far is in the database, or the law must be asked again first: no wait for it holds up a message. */
  flushed(): Promise<void>;
}

/**
 * One recorder, single-flight, in order (decision 9 of the record). It runs as a local activity: it is quick, and may
 * run again. A database that does not answer is asked again later, so that it slows no loop.
 */
export function createRecorder(input: SeatInput, log: Log): Recorder {
  const { recordEvents } = proxyLocalActivities<Pick<ControlActivities, 'recordEvents'>>(localOptions('recordEvents'));
  const toldParent = input.parent === undefined ? {} : { parent: input.parent };
  let lost = false;
  // Not while the law is still deciding: what one wake leads to is one batch, so one marker in the history.
  const isDue = () => log.outbox.length > 0 && !log.changed();

  // One function on purpose: the engine pays for every promise that a workflow makes.
  async function work(): Promise<void> {
    let waitMs = backoff.firstMs;
    while (!lost) {
      await condition(isDue);
      const events = batchOf(log.outbox);
      const summary = summarise(input.plan, log.state(), log.seq());
      const batch = { runId: input.runId, seat: input.seat, events, summary, ...toldParent };
      const recorded = await recordEvents(batch).catch(laterIfFailed);
      lost = recorded === 'superseded';
      if (recorded === 'recorded') {
        log.outbox.splice(0, events.length);
        waitMs = backoff.firstMs;
      } else if (recorded === 'later') {
        await sleep(waitMs);
        waitMs = Math.min(waitMs * 2, backoff.mostMs);
      }
    }
  }

  return {
    work,
    superseded: () => lost,
    flushed: () => condition(() => log.outbox.length === 0 || log.changed() || lost),
  };
}

function laterIfFailed(error: unknown): Recorded {
  if (error instanceof TemporalFailure) return 'later';
  throw error;
}

function batchOf(outbox: readonly StoredEvent[]): StoredEvent[] {
  const batch: StoredEvent[] = [];
  let characters = 0;
  for (const stored of outbox.slice(0, batchLimit.events)) {
    characters += JSON.stringify(stored).length;
    if (batch.length > 0 && characters > batchLimit.characters) break;
    batch.push(stored);
  }
  return batch;
}
