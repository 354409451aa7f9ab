import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { noopMetricMeter } from '@temporalio/common';

/** Runs an activity's code as if the engine had given it out for the given time; it is cancelled by `signal` only. */
export function asEngineTask<T>(
  tries: number,
  activity: () => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  const info = { attempt: tries, taskToken: new Uint8Array([tries]) } as Info;
  const never = new Promise<never>(() => undefined);
  const quiet = () => undefined;
  const log = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
  const context = new Context(info, never, signal, quiet, undefined, log, noopMetricMeter, {});
  return asyncLocalStorage.run(context, activity);
}
