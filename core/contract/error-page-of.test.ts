import { expect, test } from 'vitest';

import { errorPageOf } from '#core/contract/error-page-of.ts';

test.each([
  ['workspace/base-unknown', 'docs/errors/workspace/base-unknown'],
  ['no_progress', 'docs/errors/run/no-progress'],
  ['stuck', 'docs/errors/run/stuck'],
  ['internal', 'docs/errors/http/internal'],
])('the page of %s is %s', (code, page) => {
  expect(errorPageOf(code)).toBe(page);
});
