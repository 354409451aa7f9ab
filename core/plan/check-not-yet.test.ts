import { expect, test } from 'vitest';

import { compile } from '#core/plan/compile.ts';

test('a question at the end is refused with what waits in its place', () => {
  const step = { id: 'a', after: [], work: { kind: 'run' as const, command: 'make' }, checks: [] };
  const compiled = compile({ steps: [step], onExhausted: 'ask' });
  expect(compiled.kind === 'issues' ? compiled.issues.map(({ message }) => message) : []).toEqual([
    '`onExhausted: ask` is not supported by this version; use `pause`, which waits until you retry the run, or `fail`',
  ]);
});
