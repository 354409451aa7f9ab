/** What a host runs now, one task a step of a run. */
export interface Occupancy {
  /**
   * Takes the place of a step. Whoever has it is told to end and has ended when this settles: the engine gave its task
   * up, or the work would not be given out again. `superseded` aborts when the next one comes.
   */
  take(place: string): Promise<{ superseded: AbortSignal; leave: () => void }>;
  /**
   * Holds a whole run for the work that has `place` of it: all other work of the run has ended by itself when this
   * settles, and none begins until it is let go.
   */
  holdRun(place: string): Promise<() => void>;
}

function ending(): { ended: Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

/** Of `run/step` the run. */
function runOf(place: string): string {
  return place.split('/', 1)[0] ?? place;
}

interface Holder {
  end: AbortController;
  ended: Promise<void>;
}

/**
 * One writer at a time (F7), also when the engine lost sight of a task that still runs here: after it was away for longer
 * than a heartbeat may be, or when a run was seated anew (decision 13).
 */
export function createOccupancy(): Occupancy {
  const holders = new Map<string, Holder>();
  const held = new Map<string, Promise<void>>();
  return {
    async holdRun(place) {
      const run = runOf(place);
      while (held.has(run)) await held.get(run);
      const { ended, end } = ending();
      held.set(run, ended);
      const others = [...holders].filter(([other]) => other !== place && runOf(other) === run);
      await Promise.all(others.map(([, other]) => other.ended));
      return () => {
        held.delete(run);
        end();
      };
    },
    async take(place) {
      const run = runOf(place);
      // Whoever waited beside others may find it held again.
      while (held.has(run)) await held.get(run);
      const before = holders.get(place);
      const toldToEnd = new AbortController();
      const { ended, end: leave } = ending();
      const mine = { end: toldToEnd, ended };
      holders.set(place, mine);
      before?.end.abort();
      await before?.ended;
      return {
        superseded: toldToEnd.signal,
        leave() {
          if (holders.get(place) === mine) holders.delete(place);
          leave();
        },
      };
    },
  };
}
