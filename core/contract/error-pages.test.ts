import { expect, test } from 'vitest';

import { errorPageOf } from '#core/contract/error-page-of.ts';
import { errorPages } from '#core/contract/error-pages.ts';

test('each code has a page of its own', () => {
  const codes = Object.keys(errorPages);
  expect(new Set(codes.map(errorPageOf)).size).toBe(codes.length);
});

test.each(Object.entries(errorPages))('%s says what it means and what to do, in whole sentences', (_code, page) => {
  expect(page.title).toMatch(/^\S.*[^.\s]$/);
  expect(page.meaning).toMatch(/[.)]$/);
  expect(page.remedy).toMatch(/\.$/);
});
