import { expect, test } from 'vitest';

import { childLines, placeText } from '#cli/render/child-lines.ts';
import { listed, succeeded } from '#cli/testing/sample-run.ts';

const parent = { runId: 'run_parent', step: 'all', pass: 1, index: 0 };
const child = (index: number, changes: object = {}) => ({
  ...listed(succeeded),
  parent: { ...parent, index },
  ...changes,
});

test('a child is shown with its place, its state and, where it does not move, what clears that', () => {
  const waits = {
    status: 'waiting' as const,
    why: 'It waits for a person.',
    task: 'task_1',
    passes: 1,
    spendUsd: 0,
    seq: 4,
  };
  const lines = childLines('run_parent', [
    child(0, { runId: 'run_a' }),
    child(1, { runId: 'run_b', summary: waits, parent: { ...parent, pass: 2, index: 1 } }),
  ]);
  expect(lines.map(({ text }) => text)).toEqual([
    '  all[0]: Green tests run_a succeeded, 0.25 USD',
    '  all#2[1]: Green tests run_b waiting',
    '    └ It waits for a person. To clear it: setpoint approve task_1',
  ]);
});

test('of many children the newest are shown, and how to see the others', () => {
  const lines = childLines(
    'run_parent',
    Array.from({ length: 53 }, (_, index) => child(index)),
  );
  expect(lines).toHaveLength(51);
  expect(lines[0]?.text).toBe('  … 3 before these: setpoint runs --parent run_parent');
  expect(lines[1]?.text).toContain('all[3]');
});

test('a run without a parent has no place', () => {
  expect(placeText(undefined)).toBe('');
});
