import { expect, test } from 'vitest';

import { checkCallback } from '#core/plan/check-callback.ts';

test('a callback that tells its secret, or is no web address, is an issue at its place; the secret is not repeated', () => {
  expect(checkCallback({})).toEqual([]);
  expect(checkCallback({ callback: { url: 'https://ci.example/hook', secret: 'env:HOOK' } })).toEqual([]);
  const issues = checkCallback({ callback: { url: 'file:///etc/passwd', secret: 'hunter2hunter2' } });
  expect(issues.map(({ path }) => path)).toEqual(['callback.url', 'callback.secret']);
  expect(JSON.stringify(issues)).not.toContain('hunter2');
});
