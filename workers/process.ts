import type { Worker } from '@temporalio/worker';
import type { Logger } from '#infra/log.ts';

/** Aborted by the first SIGTERM or SIGINT: a worker then ends what it runs and leaves. */
export function untilSignal(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.abort());
  return ending.signal;
}

/** Runs workers until the signal; resolves once all of them have let go of their work. */
export async function runWorkers(workers: readonly Worker[], signal: AbortSignal): Promise<void> {
  const running = workers.map((worker) => worker.run());
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  if (signal.aborted) shutdown();
  signal.addEventListener('abort', shutdown, { once: true });
  try {
    await Promise.all(running);
  } finally {
    // One worker that fails must not leave the others polling.
    shutdown();
    await Promise.allSettled(running);
  }
}

/** The end of a worker process: a failure is logged and tells the supervisor by the exit code. */
export function runProcess(main: () => Promise<void>, log: Logger): void {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      log.fatal({ err: error }, error instanceof Error ? error.message : String(error));
      process.exit(1);
    },
  );
}
