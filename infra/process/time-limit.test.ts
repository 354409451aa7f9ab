import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { TookTooLong, withinLimit } from '#infra/process/time-limit.ts';

/** Work that only listens: it rejects with the reason once its signal aborts. */
const listen = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    if (signal.aborted) reject(signal.reason as Error);
  });

test('a limit holds also when memory is collected before it is reached', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const limited = withinLimit(new AbortController().signal, 100, listen);
  collect();
  await expect(limited).rejects.toThrow(TookTooLong);
});

test('the signal from outside ends the work at once, also one that had come before', async () => {
  const outside = new AbortController();
  const limited = withinLimit(outside.signal, 60_000, listen);
  outside.abort(new Error('enough'));
  await expect(limited).rejects.toThrow('enough');
  await expect(withinLimit(outside.signal, 60_000, listen)).rejects.toThrow('enough');
});

test('what is done in time is its result', async () => {
  expect(await withinLimit(new AbortController().signal, 60_000, async () => 7)).toBe(7);
});
