import { expect, test } from 'vitest';

import { fewFindings } from '#core/check/few-findings.ts';

test('decision 5: of ten thousand findings fifty are kept, each a line, and how many more there were', () => {
  const findings = Array.from({ length: 10_000 }, (_, index) => `tampered: ${index}\n${'x'.repeat(10_000)}`);
  const few = fewFindings(findings);
  expect(few).toHaveLength(51);
  expect(few[0]).toMatch(/^tampered: 0 x+…$/);
  expect(few.at(-1)).toBe('and 9950 more findings');
  expect(JSON.stringify(few).length).toBeLessThan(32 * 1024);
  expect(fewFindings(['leftover: process 7 (sleep) was killed'])).toEqual(['leftover: process 7 (sleep) was killed']);
});
