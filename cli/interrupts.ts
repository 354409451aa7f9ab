/** Ctrl-C, as commands hear it. While nobody listens, it ends the process as usual. */
export interface Interrupts {
  /** Calls `listener` on each interrupt until the returned function is called. */
  listen(listener: () => void): () => void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C of this process; being asked to end, or losing the terminal, is heard in the same way. */
export function processInterrupts(): Interrupts {
  return {
    listen: (listener) => {
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
  };
}
