import { expect, test } from 'vitest';

import { compile } from '#core/plan/compile.ts';

function issuesOf(keepBetweenRuns: string[], keep: string[] = []): string[] {
  const steps = [{ id: 'a', after: [], checks: [], work: { kind: 'run' as const, command: 'true' } }];
  const compiled = compile({ steps, keepBetweenRuns, workspace: { keep }, limits: { timeSeconds: 60 } });
  if (compiled.kind === 'plan') return [];
  return compiled.issues.map(({ path, code }) => `${path} ${code}`);
}

test('D-23: patterns of files to keep stay inside the workspace', () => {
  expect(issuesOf(['.state/**', 'notes/*.md', 'a..b/c'], ['dist/[ab].json'])).toEqual([]);
  expect(issuesOf(['../x', '/etc/*', ''], ['a/../../b'])).toEqual([
    'keepBetweenRuns workspace/bad-path',
    'keepBetweenRuns workspace/bad-path',
    'keepBetweenRuns workspace/bad-path',
    'workspace.keep workspace/bad-path',
  ]);
});

test('D-23: braces would find nothing, so they are told', () => {
  expect(issuesOf(['{a,b}/*'])).toEqual(['keepBetweenRuns workspace/bad-pattern']);
});
