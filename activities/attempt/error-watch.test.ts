import { expect, test } from 'vitest';
import { gemini } from '#activities/agents/gemini/gemini.ts';
import { watchErrors } from '#activities/attempt/error-watch.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a pattern is seen although it comes in pieces, between much other text', () => {
  const watch = watchErrors(/^refused 429$/m);
  watch.push(bytes(`${'noise\n'.repeat(2000)}refu`));
  expect(watch.seen()).toBe(false);
  watch.push(bytes('sed 429\nnoise'));
  expect(watch.seen()).toBe(true);
  watch.push(bytes('and goes on\n'.repeat(1000)));
  expect(watch.seen()).toBe(true);
});

test('without a pattern nothing is seen', () => {
  const watch = watchErrors(undefined);
  watch.push(bytes('Attempt 9 failed with status 429. Retrying with backoff...\n'));
  expect(watch.seen()).toBe(false);
});

test('E6 Gemini may try a refusing provider twice; from the third refusal on it is ended', () => {
  const watch = watchErrors(gemini.triesInVain);
  const refusal = (attempt: number): Uint8Array =>
    bytes(`Attempt ${attempt} failed with status 429. Retrying with backoff... _ApiError: {}\n`);
  for (const attempt of [1, 2]) watch.push(refusal(attempt));
  watch.push(bytes('Attempt 3 failed with status 400. Retrying with backoff...\n'));
  expect(watch.seen()).toBe(false);
  watch.push(refusal(3));
  expect(watch.seen()).toBe(true);
});
