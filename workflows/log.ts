import type { SeatInput } from '#core/contract/seat.ts';
import { apply } from '#core/run/apply.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import { initialState, restoredState, type RunState } from '#core/run/state.ts';

/** The seat's only mutable thing: the state, and the events that are not recorded yet. */
export interface Log {
  state(): RunState;
  seq(): number;
  /** Synchronous, so that handlers and settling work change the state before anything awaits. */
  emit(event: RunEvent): void;
  /** True once after each change. */
  takeChange(): boolean;
  changed(): boolean;
  outbox: StoredEvent[];
}

export function createLog(input: SeatInput): Log {
  const resumed = input.resume?.state as RunState | undefined;
  let state = resumed === undefined ? initialState(input.plan) : restoredState(input.plan, resumed);
  let seq = input.resume?.seq ?? 0;
  let changed = true;
  const outbox: StoredEvent[] = [];
  return {
    state: () => state,
    seq: () => seq,
    emit(event) {
      seq += 1;
      state = apply(input.plan, state, event);
      outbox.push({ seq, event });
      changed = true;
    },
    takeChange() {
      const was = changed;
      changed = false;
      return was;
    },
    changed: () => changed,
    outbox,
  };
}
