import { expect, test } from 'vitest';

import { issueLines } from '#cli/render/issue-lines.ts';

test('issues are told as file:line:col code message, in the order of the file', () => {
  const issue = { path: 'checks', code: 'definition/unknown-key', message: 'unknown key', severity: 'error' } as const;
  expect(
    issueLines('a.yaml', [
      { ...issue, line: 7, column: 3 },
      { ...issue, line: 2, column: 9 },
      { ...issue, severity: 'warning' },
    ]),
  ).toEqual([
    'a.yaml warning definition/unknown-key unknown key (at checks)',
    'a.yaml:2:9 definition/unknown-key unknown key',
    'a.yaml:7:3 definition/unknown-key unknown key',
  ]);
});
