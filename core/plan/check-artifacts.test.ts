import { expect, test } from 'vitest';

import { compile } from '#core/plan/compile.ts';

test('D-06: `run.artifacts` is known where the definition asks for the folder', () => {
  const work = { kind: 'run' as const, command: 'cat {{run.artifacts}}/notes' };
  const steps = [{ id: 'a', after: [], checks: [], work }];
  const limits = { timeSeconds: 60 };
  expect(compile({ steps, limits, artifacts: true }).kind).toBe('plan');
  expect(compile({ steps, limits })).toMatchObject({
    issues: [{ path: 'steps.a.run', code: 'definition/missing', message: expect.stringContaining('artifacts: true') }],
  });
});
