/** What a host runs now, one task a step of a run. */
export interface Occupancy {
  /**
   * Takes the place of a step. Whoever has it is told to end and has ended when this settles: the engine gave its task
   * up, or the work would not be given out again. `superseded` aborts when the next one comes.
   */
  take(place: string): Promise<{ superseded: AbortSignal; leave: () => void }>;
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
  return {
    async take(place) {
      const before = holders.get(place);
      const end = new AbortController();
      let leave: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const mine = { end, ended };
      holders.set(place, mine);
      before?.end.abort();
      await before?.ended;
      return {
        superseded: end.signal,
        leave() {
          if (holders.get(place) === mine) holders.delete(place);
          leave();
        },
      };
    },
  };
}
