import { expect, test } from 'vitest';

import { resolveInputs } from '#core/plan/inputs.ts';

const plan = {
  inputs: {
    issue: { type: 'string', required: true },
    count: { type: 'number', required: false, default: '3' },
    dry: { type: 'boolean', required: false },
  },
} as const;

test('defaults are filled, all values are text, what is optional and not given is left out', () => {
  expect(resolveInputs(plan, { issue: 'x' })).toEqual({ kind: 'inputs', inputs: { issue: 'x', count: '3' } });
  expect(resolveInputs(plan, { issue: '', count: 1.5, dry: false })).toEqual({
    kind: 'inputs',
    inputs: { issue: '', count: '1.5', dry: 'false' },
  });
});

test('every issue comes at once: missing, unknown with the nearest name, wrong type', () => {
  const resolved = resolveInputs(plan, { isue: 'x', count: 'many', dry: 'yes' });
  expect(resolved.kind === 'issues' && resolved.issues.map((issue) => `${issue.path} ${issue.code}`)).toEqual([
    'inputs.isue input/unknown',
    'inputs.issue input/missing',
    'inputs.count input/wrong-type',
    'inputs.dry input/wrong-type',
  ]);
  expect(resolved.kind === 'issues' && resolved.issues[0]?.message).toContain('did you mean `issue`?');
});

test('names of Object.prototype are no inputs', () => {
  expect(resolveInputs({ inputs: {} }, { constructor: 'x' })).toMatchObject({ kind: 'issues' });
  expect(resolveInputs({ inputs: { toString: { type: 'string' as const, required: true } } }, {})).toMatchObject({
    kind: 'issues',
  });
});
