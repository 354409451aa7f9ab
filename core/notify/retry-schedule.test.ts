import { expect, test } from 'vitest';

import { retryAfterSeconds } from '#core/notify/retry-schedule.ts';

test('tries come ever later, then every six hours, and end before three days are over', () => {
  const waits: number[] = [];
  let age = 0;
  for (;;) {
    const wait = retryAfterSeconds(waits.length + 1, age);
    if (wait === undefined) break;
    waits.push(wait);
    age += wait;
  }
  expect(waits.slice(0, 7)).toEqual([10, 60, 300, 1_800, 7_200, 21_600, 21_600]);
  expect(age).toBeLessThanOrEqual(3 * 86_400);
  expect(age).toBeGreaterThan(3 * 86_400 - 21_600);
});
