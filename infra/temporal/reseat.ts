import type { RunMessage, SeatInput } from '#core/contract/seat.ts';
import { fold } from '#core/run/apply.ts';
import type { RunState } from '#core/run/state.ts';
import type { RunRow, RunStore } from '#infra/postgres/run-store.ts';
import type { Engine } from '#infra/temporal/client.ts';

/** What carries runs on: the record and the engine. */
export interface Seating {
  runs: RunStore;
  engine: Engine;
}

/** The state of a run by its record, and the last event that it rests on. */
export async function foldRecord(runs: RunStore, run: RunRow): Promise<{ state: RunState; seq: number }> {
  const events = await runs.eventsAfter(run.runId, 0);
  return {
    state: fold(
      run.plan,
      events.map(({ event }) => event),
    ),
    seq: events.at(-1)?.seq ?? 0,
  };
}

/**
 * Sees to it that an open run has a workflow: its first one when there never was one, else the next seat, from the
 * record (decision 13). The caller knows from the engine itself that the seat's workflow is gone: `missing` when the
 * engine knows none, `closed` when it ended without the record saying so. Safe to call by several at once. Returns the
 * seat that was started; undefined when another took it, the run ended or the engine went away.
 */
export async function seatAgain(
  seating: Seating,
  run: RunRow,
  gone: 'missing' | 'closed',
): Promise<number | undefined> {
  // A closed first seat may have recorded nothing, too; it cannot be started a second time.
  if (gone === 'missing' && run.seat === 1 && run.summary.seq === 0) {
    const started = await seating.engine.startSeat(firstSeat(run));
    return started === 'started' ? 1 : undefined;
  }
  const seat = await seating.runs.claimNextSeat({ runId: run.runId, seat: run.seat, run: 'open' });
  if (seat === undefined) return undefined;
  const started = await startFromRecord(seating, { run, seat, reason: 'lost' });
  return started === 'started' ? seat : undefined;
}

export interface Reseat {
  run: RunRow;
  seat: number;
  reason: 'retry' | 'lost' | 'forked';
  message?: RunMessage;
}

/** Starts a seat that was claimed. No seat before it can record any more, so what is folded here is the whole record. */
export async function startFromRecord(
  { runs, engine }: Seating,
  { run, seat, reason, message }: Reseat,
): Promise<'started' | 'unreachable'> {
  const record = await foldRecord(runs, run);
  return engine.startSeat({
    ...firstSeat(run),
    seat,
    // Without a record it is begun as a new run, which records its start.
    ...(record.seq === 0 ? {} : { resume: { ...record, reason } }),
    ...(message === undefined ? {} : { message }),
  });
}

/** What a new run's workflow starts from. */
export function firstSeat({ runId, plan, inputs, priority, held, parent }: RunRow): SeatInput {
  const ofChild = parent === undefined ? {} : { parent };
  return { runId, seat: 1, plan, inputs, priority, ...(held.length === 0 ? {} : { held }), ...ofChild };
}
