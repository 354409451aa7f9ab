import { describe, expect, test } from 'vitest';

import { compare } from '#core/check/compare.ts';
import type { Condition } from '#core/check/condition.ts';

const gave = { exitCode: 3, stdout: '  ready\n', stderr: 'warning \n' };

function outcome(source: Condition['compare'], returns: string, change: Partial<typeof gave> = {}) {
  return compare({ command: 'x', compare: source, returns, timeSeconds: 60 }, { ...gave, ...change });
}

describe('A7: compare', () => {
  test.each([
    ['stdout', 'ready', 'met'],
    ['stdout', ' ready ', 'met'],
    ['stdout', 'Ready', 'unmet'],
    ['stdout', 'read', 'unmet'],
    ['stderr', 'warning', 'met'],
    ['stderr', 'ready', 'unmet'],
    ['exitCode', '3', 'met'],
    ['exitCode', ' 3 ', 'met'],
    ['exitCode', '03', 'unmet'],
    ['exitCode', 'true', 'unmet'],
    ['auto', '3', 'met'],
    ['auto', '0', 'unmet'],
    ['auto', '-3', 'unmet'],
    ['auto', 'false', 'met'],
    ['auto', 'true', 'unmet'],
    ['auto', 'ready', 'met'],
    ['auto', 'TRUE', 'unmet'],
    ['auto', '3.0', 'unmet'],
    ['auto', '', 'unmet'],
  ] as const)('A7: %s against %j is %s', (source, returns, kind) => {
    expect(outcome(source, returns).kind).toBe(kind);
  });

  test('A7, C-03: under auto `true` is exit 0, whatever was printed', () => {
    expect(outcome('auto', 'true', { exitCode: 0, stdout: 'false' })).toEqual({ kind: 'met', actual: 'true' });
  });

  test('A7, C-03: under auto an integer is the exit code, even where stdout says that number', () => {
    expect(outcome('auto', '0', { exitCode: 1, stdout: '0\n' })).toEqual({ kind: 'unmet', actual: '1' });
  });

  test('A7, C-03: under auto anything else is what was printed, without the white space around it', () => {
    expect(outcome('auto', 'ready', { exitCode: 1, stdout: '\n  ready \n' })).toEqual({ kind: 'met', actual: 'ready' });
    expect(outcome('auto', 'false', { exitCode: 1, stdout: 'true' })).toEqual({ kind: 'met', actual: 'false' });
  });

  test('A7: nothing printed equals the empty string', () => {
    expect(outcome('stdout', '', { stdout: '\n' }).kind).toBe('met');
    expect(outcome('auto', '', { stdout: '' }).kind).toBe('met');
  });

  test('A7: what was compared is told, in at most 500 characters', () => {
    expect(outcome('stdout', 'x')).toEqual({ kind: 'unmet', actual: 'ready' });
    expect(outcome('stdout', 'x', { stdout: 'y'.repeat(9000) })).toEqual({ kind: 'unmet', actual: 'y'.repeat(500) });
  });

  test('A7: the whole is compared, not only what is told', () => {
    const long = 'y'.repeat(9000);
    expect(outcome('stdout', long, { stdout: long }).kind).toBe('met');
    expect(outcome('stdout', long.slice(0, 500), { stdout: long }).kind).toBe('unmet');
  });
});

test('what is shown of an output never ends in the middle of a character', () => {
  const stdout = `${'x'.repeat(499)}😀`;
  expect(outcome('stdout', 'y', { stdout })).toEqual({ kind: 'unmet', actual: 'x'.repeat(499) });
});
