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

test('D-14: files of variables lie inside the workspace', () => {
  const steps = [{ id: 'a', after: [], checks: [], work: { kind: 'run' as const, command: 'true' } }];
  const compiled = (envFiles: string[]) => compile({ steps, workspace: { envFiles }, limits: { timeSeconds: 60 } });
  expect(compiled(['.env', 'config/ci.env']).kind).toBe('plan');
  expect(compiled(['../.env', '/etc/environment'])).toMatchObject({
    issues: [{ code: 'workspace/bad-path' }, { code: 'workspace/bad-path' }],
  });
});

test('D-23, F1: files kept between runs do not go with a worktree for each pass', () => {
  const steps = [{ id: 'a', after: [], checks: [], work: { kind: 'run' as const, command: 'true' } }];
  const workspace = { lane: 'pass' as const };
  expect(compile({ steps, workspace, limits: { timeSeconds: 60 } }).kind).toBe('plan');
  expect(compile({ steps, workspace, keepBetweenRuns: ['a'], limits: { timeSeconds: 60 } })).toMatchObject({
    issues: [{ path: 'keepBetweenRuns', code: 'definition/conflict' }],
  });
});
